const MAX_LENGTH = 24;

/** A name as it is shown; undefined for what is none. */
export function nicknameOf(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  // Letters with their marks, digits, and what may stand between: nothing invisible, and nothing that turns the direction of text.
  const name = text.normalize('NFC').trim().replace(/\s+/g, ' ');
  if (name.length > MAX_LENGTH || !/^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._'’-]*$/u.test(name)) return undefined;
  return name;
}
