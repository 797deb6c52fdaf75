import type { Method } from './methods.js';

interface UrlPath {
  /** `/users/:id`, `/docs/*rest`; '' for the root. */
  readonly path: string;
  /** Names of the parameters, in order. */
  readonly params: readonly string[];
}

export interface FilePath extends UrlPath {
  /** The method that the file name says, if it says one. */
  readonly method: Method | undefined;
  /** What says it: `get` of `users/[id].get.ts`. */
  readonly suffix: string | undefined;
}

/** A file path that the grammar does not allow. The message completes "the file …". */
export class PathError extends Error {}

/** A segment that stands for a parameter, as it should. */
const PARAM = /^\[(?:\.\.\.)?[A-Za-z_$][\w$]*\]$/;
const FORMS = 'A parameter is a whole segment: [name], or [...name] as the last one';

/** Reads routes from the paths of files alone: `users/[id].get.ts` is `/users/:id`, GET. */
export class PathReader {
  /** Directories that have been read, which many files share. */
  readonly #directories = new Map<string, UrlPath>();
  /** The one that was read last: files come in their order. */
  #last: readonly [directory: string, read: UrlPath];

  constructor(
    /** The beginning of all paths: `/api`, or ''. */
    mount: string,
    /** Suffixes of file names, and the method that each stands for. */
    private readonly suffixes: Readonly<Record<string, Method>>,
  ) {
    this.#last = ['', { path: mount, params: [] }];
    this.#directories.set(...this.#last);
  }

  /** `file` is relative to the convention's directory. Throws PathError. */
  read(file: string): FilePath {
    const slash = file.lastIndexOf('/');
    const inside = slash === -1 ? '' : file.slice(0, slash);
    if (inside !== this.#last[0]) this.#last = [inside, this.#readDirectory(inside)];
    const directory = this.#last[1];
    const base = file.slice(slash + 1, file.lastIndexOf('.'));
    const dot = suffixDot(base);
    const suffix = base.slice(dot + 1);
    const method = Object.hasOwn(this.suffixes, suffix) ? this.suffixes[suffix] : undefined;
    const name = method === undefined ? base : base.slice(0, Math.max(dot, 0));
    const { path, params } = name === '' || name === 'index' ? directory : append(directory, name);
    return { path: path === '' ? '/' : path, params, method, suffix: method && suffix };
  }

  #readDirectory(directory: string): UrlPath {
    const known = this.#directories.get(directory);
    if (known) return known;
    const slash = directory.lastIndexOf('/');
    const parent = this.#readDirectory(slash === -1 ? '' : directory.slice(0, slash));
    const name = directory.slice(slash + 1);
    const read = isGroup(name) ? parent : append(parent, name);
    this.#directories.set(directory, read);
    return read;
  }
}

/** The dot before the suffix: not one inside `[...rest]`. */
function suffixDot(name: string): number {
  const dot = name.lastIndexOf('.');
  return dot > name.lastIndexOf(']') ? dot : -1;
}

/** `(group)` sorts files into a directory without a segment of the URL. */
const isGroup = (name: string): boolean => name.startsWith('(') && /^\([^()]+\)$/.test(name);

/** The path one segment further, which the file or directory `name` stands for. */
function append({ path, params }: UrlPath, name: string): UrlPath {
  const last = params.length === 0 ? '' : path.slice(path.lastIndexOf('/') + 1);
  if (last.startsWith('*')) throw bad(`[...${last.slice(1)}]`, 'more segments follow a catch-all');
  const segment = readSegment(name);
  if (!segment.startsWith(':') && !segment.startsWith('*')) return { path: `${path}/${segment}`, params };
  const param = segment.slice(1);
  if (params.includes(param)) throw new PathError(`uses the parameter "${param}" twice. Rename one of them.`);
  return { path: `${path}/${segment}`, params: [...params, param] };
}

function readSegment(name: string): string {
  if (name.startsWith(':') || name.startsWith('*'))
    throw bad(name, 'a segment may not begin with ":" or "*"');
  if (PARAM.test(name)) return name.startsWith('[.') ? `*${name.slice(4, -1)}` : `:${name.slice(1, -1)}`;
  if (!name.includes('[') && !name.includes(']')) return name;
  const [, param] = /^\[(?:\.\.\.)?([^[\]]*)\]$/.exec(name) ?? [];
  if (param !== undefined) throw bad(name, `"${param}" is not a name for a parameter`);
  const closed = name.split('[').length === name.split(']').length;
  throw bad(name, closed ? 'brackets stand for a whole segment' : 'a bracket is not closed or not opened');
}

const bad = (name: string, why: string) =>
  new PathError(`has a bad path segment "${name}": ${why}. ${FORMS}.`);
