import { HttpProblem } from '../request/http-error.js';

/** The parsed headers of a part (RFC 7578 §4.2, §4.4). */
export interface PartHead {
  readonly name: string;
  readonly filename: string | undefined;
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The most characters in the headers of one part. The parser allows ten times as many and then truncates, so this check comes first. */
const MAX_PART_HEAD_BYTES = 8_192;

export function readHead(raw: object, maxFieldName: number): PartHead {
  const headers: Record<string, string> = Object.create(null);
  let size = 0;
  for (const [key, values] of Object.entries(raw) as [string, string[]][]) {
    headers[key] = utf8(values.join(', '));
    for (const value of values) size += key.length + value.length;
  }
  if (size > MAX_PART_HEAD_BYTES)
    throw new HttpProblem(413, `The headers of a part are longer than ${MAX_PART_HEAD_BYTES} bytes`);
  const { name, filename, 'filename*': encoded } = parameters(headers['content-disposition'] ?? '');
  if (name === undefined) throw malformedForm('a part has no Content-Disposition with a name');
  if (Buffer.byteLength(name) > maxFieldName)
    throw new HttpProblem(413, `The name of a field is longer than ${maxFieldName} bytes`);
  const given = filename ?? (encoded === undefined ? undefined : decodeExtended(encoded));
  return {
    name,
    filename: given === undefined ? undefined : baseName(given),
    type: headers['content-type'] ?? 'text/plain',
    headers,
  };
}

const PARAMETER = /\s*;\s*([\w*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/y;

function parameters(disposition: string): Readonly<Record<string, string | undefined>> {
  const found: Record<string, string> = Object.create(null);
  const text = disposition.trimEnd();
  let at = /^\s*form-data/i.exec(text)?.[0].length;
  if (at === undefined) throw malformedForm('a part has no Content-Disposition of type form-data');
  while (at < text.length) {
    PARAMETER.lastIndex = at;
    const [whole, key = '', quoted, token] = PARAMETER.exec(text) ?? [];
    const lower = key.toLowerCase();
    if (whole === undefined || lower in found) throw malformedForm('a part has a bad Content-Disposition');
    found[lower] = quoted === undefined ? (token ?? '') : unquote(quoted);
    at += whole.length;
  }
  return found;
}

/** Browsers escape `"` and line breaks with `%`, other clients with a backslash. A backslash before any other character is literal. */
const unquote = (text: string): string =>
  text
    .replace(/\\(["\\])/g, '$1')
    .replace(/%(22|0d|0a)/gi, (_escape, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** Decode `UTF-8''na%C3%AFve.txt` (RFC 8187). It isn't allowed in forms (RFC 7578 §4.2), but some clients send it. */
function decodeExtended(value: string): string {
  const text = /^utf-8'[^']*'(.*)$/i.exec(value)?.[1];
  try {
    if (text !== undefined) return decodeURIComponent(text);
  } catch {}
  throw malformedForm('a part has an invalid file name');
}

/** Remove all directories: some clients send the whole path, and an attacker may send any path. */
function baseName(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return name === '.' || name === '..' ? '' : name;
}

const utf8 = (latin1: string): string => Buffer.from(latin1, 'latin1').toString();

/** The 400 of a body that is not a multipart form (RFC 7578). */
export const malformedForm = (why: string): HttpProblem =>
  new HttpProblem(400, `The body is not a valid multipart form: ${why}`);
