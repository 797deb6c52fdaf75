const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** The bit in which `{` differs from `[`, and `}` from `]`. */
const OPEN = 0x7b;
const CLOSE = 0x7d;
const CURLY = 0x20;

/**
 * Whether the arrays and objects in a JSON text are nested more than `max` levels deep. Code that walks a value recursively,
 * such as the check of a recursive schema, would overflow the stack after some thousand levels. Most texts have fewer than
 * `max` brackets, and counting them costs next to nothing.
 */
export function isDeeper(json: string, max: number): boolean {
  // Each level takes two characters.
  if (json.length <= 2 * max) return false;
  let brackets = 0;
  for (const bracket of '{[')
    for (let at = json.indexOf(bracket); at !== -1; at = json.indexOf(bracket, at + 1)) {
      brackets += 1;
      if (brackets > max) return measure(json, max);
    }
  return false;
}

function measure(json: string, max: number): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfText(json, at);
      if (at === -1) return false;
    } else if ((code | CURLY) === OPEN) {
      depth += 1;
      if (depth > max) return true;
    } else if ((code | CURLY) === CLOSE) depth -= 1;
  }
  return false;
}

function endOfText(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let first = at;
    while (json.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    // Two backslashes are one escaped backslash.
    if ((at - first) % 2 === 0) return at;
  }
  return -1;
}
