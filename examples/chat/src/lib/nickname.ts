const MAX_LENGTH = 24;

/** Returns the displayed name, or undefined if the text isn't a valid name. */
export function nicknameOf(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  // Letters with their marks, digits and separators. Invisible characters and characters that change the text direction
  // are not allowed.
  const name = text.normalize('NFC').trim().replace(/\s+/g, ' ');
  if (name.length > MAX_LENGTH || !/^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._'’-]*$/u.test(name)) return undefined;
  return name;
}
