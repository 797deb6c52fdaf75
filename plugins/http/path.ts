import { METHOD_OF_SUFFIX, type Method } from './methods.js';

export interface FilePath {
  /** `/users/:id`, `/docs/*rest`. */
  readonly path: string;
  /** Names of the parameters, in order. */
  readonly params: readonly string[];
  /** The method that the file name says, if it says one. */
  readonly method: Method | undefined;
}

/** A file path that the grammar does not allow. The message completes "the file …". */
export class PathError extends Error {}

const NAME = /^[A-Za-z_$][\w$]*$/;
const FORMS = 'A parameter is a whole segment: [name], or [...name] as the last one';

/**
 * Read what a file's path alone says of its route: `users/[id].get.ts` is `/users/:id`, GET. `file` is relative to the
 * convention's directory. Throws PathError.
 */
export function readPath(file: string): FilePath {
  const directories = file.replace(/\.m?[jt]s$/, '').split('/');
  const last = directories.pop() ?? '';
  const dot = suffixDot(last);
  const method = METHOD_OF_SUFFIX[last.slice(dot + 1)];
  const name = method === undefined ? last : last.slice(0, Math.max(dot, 0));

  const names = directories.filter((directory) => !isGroup(directory));
  if (name !== '' && name !== 'index') names.push(name);
  const segments = names.map(readSegment);
  const params = segments.filter(isParam).map((segment) => segment.slice(1));
  const twice = params.find((param, index) => params.indexOf(param) !== index);
  if (twice) throw new PathError(`uses the parameter "${twice}" twice. Rename one of them.`);
  const early = segments.slice(0, -1).findIndex((segment) => segment.startsWith('*'));
  if (early !== -1) throw bad(names[early] ?? '', 'more segments follow a catch-all');
  return { path: `/${segments.join('/')}`, params, method };
}

/** The dot before the suffix: one inside `[...rest]` is none. */
function suffixDot(name: string): number {
  const dot = name.lastIndexOf('.');
  return dot > name.lastIndexOf(']') ? dot : -1;
}

/** `(group)` sorts files into a directory without a segment of the URL. */
const isGroup = (name: string): boolean => /^\([^()]+\)$/.test(name);

const isParam = (segment: string): boolean => segment.startsWith(':') || segment.startsWith('*');

function readSegment(name: string): string {
  if (isParam(name)) throw bad(name, 'a segment may not begin with ":" or "*"');
  if (!/[[\]]/.test(name)) return name;
  const [whole, dots, param = ''] = /^\[(\.\.\.)?([^[\]]*)\]$/.exec(name) ?? [];
  if (whole === undefined) {
    const closed = name.split('[').length === name.split(']').length;
    throw bad(name, closed ? 'brackets stand for a whole segment' : 'a bracket is not closed or not opened');
  }
  if (!NAME.test(param)) throw bad(name, `"${param}" is no name for a parameter`);
  return dots ? `*${param}` : `:${param}`;
}

const bad = (name: string, why: string) =>
  new PathError(`has a bad path segment "${name}": ${why}. ${FORMS}.`);
