const MAX_LENGTH = 24;

/** The displayed name; undefined if the text is not a valid one. */
export function nicknameOf(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  // Letters with their marks, digits and separators; no invisible characters and none that change the direction of
  // text.
  const name = text.normalize('NFC').trim().replace(/\s+/g, ' ');
  if (name.length > MAX_LENGTH || !/^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._'’-]*$/u.test(name)) return undefined;
  return name;
}
