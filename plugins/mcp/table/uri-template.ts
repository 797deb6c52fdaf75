import { decoded, hasParentDirectory } from '../../http/internal.js';
import { NameError } from './names.js';

/** A URI with variables: `{id}` matches a segment, `{+path}` many, `{?page}` the query (RFC 6570 §3.2). */
export interface UriTemplate {
  readonly text: string;
  readonly variables: readonly string[];
  /** Characters outside variables: of two templates that match a URI, the one with more of them wins. */
  readonly literals: number;
  /** The decoded values of the variables; undefined if `uri` doesn't match, or if a variable of the path contains `..` as a path segment. */
  match(uri: string): Record<string, string> | undefined;
}

/** Throws a NameError if `text` is not a valid template. */
export function uriTemplate(text: string): UriTemplate {
  const variables: string[] = [];
  const query: string[] = [];
  const note = (name: string) => {
    if (variables.includes(name))
      throw new NameError(`has a uri that has the variable "${name}" twice. Rename one of them.`);
    variables.push(name);
  };
  let literals = 0;
  const parts = text.split(/(\{[^{}]*\})/).flatMap((part): Part[] => {
    const [, operator, names = ''] = /^\{([+?]?)(\w+(?:,\w+)*)\}$/.exec(part) ?? [];
    if (operator === undefined) {
      const mistake = `has a uri that has "${part}", which is not a variable. Write {name}, {+name} or {?name,name}.`;
      if (/[{}]/.test(part)) throw new NameError(mistake);
      literals += part.length;
      return part === '' ? [] : [part];
    }
    const all = names.split(',');
    for (const name of all) note(name);
    if (operator === '?') {
      query.push(...all);
      return [];
    }
    if (all.length > 1)
      throw new NameError(`has a uri that has "${part}": one variable at a time. Write {name}.`);
    return [operator === '+' ? ANYTHING : SEGMENT];
  });
  const inPath = variables.filter((name) => !query.includes(name));
  return {
    text,
    variables,
    literals,
    match(uri) {
      const mark = query.length > 0 ? uri.indexOf('?') : -1;
      const found = matchParts(parts, mark === -1 ? uri : uri.slice(0, mark));
      if (!found) return undefined;
      const values: Record<string, string> = Object.create(null);
      for (const [index, name] of inPath.entries()) {
        // A value with invalid encoding stays unchanged: the resource decides whether it exists.
        const value = decoded(found[index] ?? '');
        if (hasParentDirectory(value)) return undefined;
        values[name] = value;
      }
      if (mark !== -1)
        for (const [name, value] of new URLSearchParams(uri.slice(mark)))
          if (query.includes(name)) values[name] ??= value;
      return values;
    },
  };
}

/** A literal text, or a variable with the characters that it may contain. */
type Part = string | { readonly allows: (code: number) => boolean };

const [SLASH, QUESTION, HASH, NEWLINE] = ['/', '?', '#', '\n'].map((one) => one.charCodeAt(0));

const SEGMENT: Part = { allows: (code) => code !== SLASH && code !== QUESTION && code !== HASH };

const ANYTHING: Part = { allows: (code) => code !== NEWLINE };

/**
 * The values of the variables of `parts` in `text`; undefined if it doesn't match. Each variable has
 * at least one character and is greedy, from left to right. The time is proportional to the length
 * of the text times the number of parts: a regular expression could backtrack exponentially.
 */
function matchParts(parts: readonly Part[], text: string): string[] | undefined {
  const [first] = parts;
  if (typeof first === 'string' && !text.startsWith(first)) return undefined;
  /** For each part, the start of the next part if this one begins at a given index; 0 if none does. */
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
