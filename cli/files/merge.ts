import { isDeepStrictEqual } from 'node:util';
import { BootError, isObject } from '../../kernel/index.js';
import { parseJsonc } from '../../loader/index.js';
import { isPlaceholder } from '../../plugins/scaffold/placeholder.js';

const BEGIN = '<!-- fwk:begin -->';
const END = '<!-- fwk:end -->';
export function appendLines(text: string, lines: string): string {
  // In a .gitignore, `.fwk`, `/.fwk` and `.fwk/` are all equivalent here.
  const bare = (line: string) => line.trim().replace(/^\/|\/$/g, '');
  // And `!.env` means that the user wants the file in the repository.
  const present = new Set(text.split(/\r?\n/).map((line) => bare(line).replace(/^!\/?/, '')));
  const missing = lines.split('\n').filter((line) => line !== '' && !present.has(bare(line)));
  if (missing.length === 0) return text;
  const end = lineEnd(text);
  const separator = text === '' || text.endsWith('\n') ? '' : end;
  return `${text}${separator}${missing.join(end)}${end}`;
}

/** Sets the plain values of `ours` in `text`, and adds missing members to its objects. Throws a BootError if it is not a JSON object. */
export function addMembers(text: string, ours: string, file: string): string {
  if (text.trim() === '') return `${JSON.stringify(JSON.parse(ours), null, 2)}\n`;
  const theirs = parse(text, file);
  const merged = { ...theirs };
  for (const [key, value] of Object.entries(parse(ours, file))) {
    const known = theirs[key] ?? {};
    if (!isObject(value)) merged[key] = value;
    // Spread twice: the first determines the order of members, the second their values.
    else if (isObject(known)) merged[key] = { ...known, ...value, ...withoutPlaceholders(known) };
    else
      throw new BootError({
        file,
        message: `has "${key}", which is not an object. Make it one, or remove it.`,
        code: 'FWK607',
      });
  }
  if (JSON.stringify(merged) === JSON.stringify(theirs)) return text;
  if (hasComments(text)) return insertMembers(text, ours, merged, file);
  const indent = /^[ \t]+(?=")/m.exec(text)?.[0] ?? 2;
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const end = text.slice(text.trimEnd().length);
  return mark + JSON.stringify(merged, null, indent).replaceAll('\n', lineEnd(text)) + end;
}

/** Inserts the members of `ours` at the beginning of their objects, so that the comments stay. */
function insertMembers(text: string, ours: string, merged: object, file: string): string {
  let result = text;
  for (const [key, value] of Object.entries(parse(ours, file))) {
    const members = JSON.stringify(value).slice(1, -1);
    const known = new RegExp(`${JSON.stringify(key)}\\s*:\\s*\\{`);
    result = known.test(text)
      ? result.replace(known, (begin) => `${begin} ${members},`)
      : result.replace('{', () => `{ ${JSON.stringify(key)}: {${members}},`);
  }
  try {
    if (isDeepStrictEqual(parse(result, file), merged)) return result;
  } catch {}
  const message = `has comments, and fwk cannot add to it without losing them. Add this by hand: ${ours}`;
  throw new BootError({ file, message, code: 'FWK607' });
}

const hasComments = (text: string): boolean => {
  try {
    JSON.parse(text.replace(/^\uFEFF/, ''));
    return false;
  } catch {
    return true;
  }
};

const withoutPlaceholders = (members: object): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => !isPlaceholder(value)));

/** Replaces the marked block of `text`, or appends it, and removes further blocks. Throws a BootError if one marker is missing. */
export function replaceBlock(text: string, contents: string, file: string): string {
  const end = lineEnd(text);
  const block = `${BEGIN}\n${contents.trim()}\n${END}`.replaceAll('\n', end);
  const [first, ...further] = findBlocks(text, file);
  if (!first) {
    const gap = text === '' ? '' : text.endsWith('\n') ? end : end + end;
    return `${text}${gap}${block}${end}`;
  }
  let rest = '';
  let from = first.to;
  for (const one of further) {
    rest += text.slice(from, one.from);
    from = one.to + (/^\r?\n/.exec(text.slice(one.to))?.[0].length ?? 0);
  }
  return text.slice(0, first.from) + block + rest + text.slice(from);
}

export const hasBlock = (text: string, file: string): boolean => findBlocks(text, file).length > 0;

function findBlocks(text: string, file: string): { from: number; to: number }[] {
  const blocks: { from: number; to: number }[] = [];
  let open: number | undefined;
  let from = 0;
  for (const line of text.split(/[\r\n]/)) {
    const at = from + line.indexOf('<');
    from += line.length + 1;
    // Alone on its line, except for a byte order mark before it.
    const marker = line.trim();
    if (marker !== BEGIN && marker !== END) continue;
    if (marker === BEGIN && open === undefined) open = at;
    else if (marker === END && open !== undefined) {
      blocks.push({ from: open, to: at + END.length });
      open = undefined;
    } else throw lost(open ?? at);
  }
  if (open !== undefined) throw lost(open);
  return blocks;

  function lost(at: number): BootError {
    const [marker, other, where] = text.startsWith(BEGIN, at)
      ? [BEGIN, END, 'after']
      : [END, BEGIN, 'before'];
    const message = `has the line ${marker} without ${other} ${where} it. Put that line back, or delete this one.`;
    return new BootError({ file, line: text.slice(0, at).split('\n').length, message, code: 'FWK607' });
  }
}

/** The line end of a text. After a final carriage return, a line feed would form a CRLF. */
const lineEnd = (text: string): string => /\r?\n/.exec(text)?.[0] ?? (text.endsWith('\r') ? '\r\n' : '\n');

function parse(text: string, file: string): Record<string, unknown> {
  let value: unknown;
  try {
    // npm reads no comments in package.json.
    const isPlain = file.endsWith('package.json');
    value = isPlain ? JSON.parse(text.replace(/^\uFEFF/, '')) : parseJsonc(text, file);
  } catch (cause) {
    throw new BootError({
      file,
      message: `is not JSON: ${(cause as SyntaxError).message}. Fix it there.`,
      code: 'FWK607',
    });
  }
  if (!isObject(value))
    throw new BootError({
      file,
      message: 'does not contain a JSON object. Replace its contents with an object.',
      code: 'FWK607',
    });
  return value;
}
