import { ANYTHING, matchParts, type Part, SEGMENT } from './uri-parts.js';

/** A URI with variables: `{id}` is one segment, `{+path}` many, `{?page,size}` the query (RFC 6570 §3.2). */
export interface UriTemplate {
  readonly text: string;
  readonly variables: readonly string[];
  /** How many characters are outside of variables: of two templates that match, the one with more of them wins. */
  readonly literals: number;
  /** The values of the variables, decoded; undefined where `uri` is of another shape. */
  match(uri: string): Record<string, string> | undefined;
}

/** The template cannot be used. The message completes "its uri …". */
export class TemplateError extends Error {}

/** Read a template. Throws a TemplateError. */
export function uriTemplate(text: string): UriTemplate {
  const variables: string[] = [];
  const query: string[] = [];
  const note = (name: string) => {
    if (variables.includes(name))
      throw new TemplateError(`has the variable "${name}" twice. Rename one of them.`);
    variables.push(name);
  };
  let literals = 0;
  const parts = text.split(/(\{[^{}]*\})/).flatMap((part): Part[] => {
    const [, operator, names = ''] = /^\{([+?]?)(\w+(?:,\w+)*)\}$/.exec(part) ?? [];
    if (operator === undefined) {
      if (/[{}]/.test(part))
        throw new TemplateError(
          `has "${part}", which is not a variable. Write {name}, {+name} or {?name,name}.`,
        );
      literals += part.length;
      return part === '' ? [] : [part];
    }
    const all = names.split(',');
    for (const name of all) note(name);
    if (operator === '?') {
      query.push(...all);
      return [];
    }
    if (all.length > 1) throw new TemplateError(`has "${part}": one variable at a time. Write {name}.`);
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
      for (const [index, name] of inPath.entries()) values[name] = decode(found[index] ?? '');
      if (mark !== -1)
        for (const [name, value] of new URLSearchParams(uri.slice(mark)))
          if (query.includes(name)) values[name] ??= value;
      return values;
    },
  };
}

/** Decode a value. One that is not validly encoded is left as it is: the resource decides whether it exists. */
function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
