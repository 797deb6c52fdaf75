/** A text that stands for itself, or a variable: what a character of it may be. */
export type Part = string | { readonly allows: (code: number) => boolean };

const [SLASH, QUESTION, HASH, NEWLINE] = ['/', '?', '#', '\n'].map((one) => one.charCodeAt(0));

export const SEGMENT: Part = { allows: (code) => code !== SLASH && code !== QUESTION && code !== HASH };
export const ANYTHING: Part = { allows: (code) => code !== NEWLINE };

/**
 * The texts of the variables where `text` is made of `parts`, each at least one character and as long as those after it
 * allow, the first one first; undefined where it is not. Takes as long as the text is, times the number of parts: an
 * expression would try all ways to divide what a client has sent.
 */
export function matchParts(parts: readonly Part[], text: string): string[] | undefined {
  const [first] = parts;
  if (typeof first === 'string' && !text.startsWith(first)) return undefined;
  /** For each part, where the next one begins if this one begins at an index; 0: it cannot. */
  const ends = parts.map(() => new Int32Array(text.length + 1));
  for (let index = parts.length - 1; index >= 0; index -= 1) {
    const part = parts[index] ?? '';
    const own = ends[index];
    const next = ends[index + 1];
    const isEnd = (at: number) => (next ? (next[at] ?? 0) > 0 : at === text.length);
    if (!own) continue;
    if (typeof part === 'string') {
      for (let at = 0; at + part.length <= text.length; at += 1)
        if (text.startsWith(part, at) && isEnd(at + part.length)) own[at] = at + part.length;
      continue;
    }
    let furthest = 0;
    for (let at = text.length - 1; at >= 0; at -= 1) {
      if (!part.allows(text.charCodeAt(at))) furthest = 0;
      else {
        if (furthest === 0 && isEnd(at + 1)) furthest = at + 1;
        own[at] = furthest;
      }
    }
  }
  const found: string[] = [];
  let at = 0;
  for (const [index, part] of parts.entries()) {
    const end = ends[index]?.[at] ?? 0;
    if (end === 0) return undefined;
    if (typeof part !== 'string') found.push(text.slice(at, end));
    at = end;
  }
  return at === text.length ? found : undefined;
}
