import type { Method } from './route.js';

interface UrlPath {
  /** `/users/:id`, `/docs/*rest`; '' for the root. */
  readonly path: string;
  /** Names of the parameters, in order. */
  readonly params: readonly string[];
}

export interface FilePath extends UrlPath {
  /** The method from the suffix of the file name, if there is one. */
  readonly method: Method | undefined;
  /** The suffix: `get` in `users/[id].get.ts`. */
  readonly suffix: string | undefined;
}

/** A file path that isn't a valid route. The message completes the sentence "the file …". */
export class PathError extends Error {}

const NAME = /^[A-Za-z_$][\w$]*$/;
const FORMS = 'Write a parameter as a whole segment, [name], or [...name] as the last segment';

interface FileName extends Pick<FilePath, 'method' | 'suffix'> {
  readonly segment: Segment | undefined;
}

interface Segment {
  readonly text: string;
  readonly param: string | undefined;
  readonly isRest: boolean;
}

interface DirectoryPath extends UrlPath {
  /** The directory with a trailing slash; '' for the convention directory. */
  readonly directory: string;
  readonly parent: DirectoryPath | undefined;
  readonly rest: Segment | undefined;
}

export class PathReader {
  readonly #fileNames = new Map<string, FileName>();
  readonly #segments = new Map<string, Segment>();
  readonly #suffixes: ReadonlyMap<string, Method>;
  /** The directory of the previous file. Files are sorted, so most are in the same directory or next to it. */
  #directory: DirectoryPath;

  /**
   * @param mount the prefix of all paths: `/api`, or ''
   * @param suffixes the suffixes of file names and their methods
   */
  constructor(mount: string, suffixes: Readonly<Record<string, Method>>) {
    this.#directory = { directory: '', parent: undefined, path: mount, params: [], rest: undefined };
    this.#suffixes = new Map(Object.entries(suffixes));
  }

  /** Read a file path, relative to the convention directory. Returns a PathError if it is invalid. */
  read(file: string): FilePath | PathError {
    try {
      return this.#read(file);
    } catch (thrown) {
      if (thrown instanceof PathError) return thrown;
      throw thrown;
    }
  }

  #read(file: string): FilePath {
    const start = file.lastIndexOf('/') + 1;
    const directory = this.#readDirectory(file.slice(0, start));
    const name = file.slice(start);
    const { segment, method, suffix } = this.#fileNames.get(name) ?? this.#readFileName(name, directory);
    if (!segment) return { path: directory.path || '/', params: directory.params, method, suffix };
    return { path: pathIn(directory, segment), params: paramsIn(directory, segment), method, suffix };
  }

  #readDirectory(directory: string): DirectoryPath {
    let read = this.#directory;
    while (read.parent && !directory.startsWith(read.directory)) read = read.parent;
    while (read.directory.length < directory.length) {
      const start = read.directory.length;
      const end = directory.indexOf('/', start);
      const name = directory.slice(start, end);
      const below = directory.slice(0, end + 1);
      read = isGroup(name)
        ? { ...read, directory: below, parent: read }
        : directoryIn(read, this.#segmentIn(read, name), below);
    }
    this.#directory = read;
    return read;
  }

  #readFileName(name: string, directory: DirectoryPath): FileName {
    const base = name.slice(0, name.lastIndexOf('.'));
    const dot = suffixDot(base);
    const suffix = base.slice(dot + 1);
    const method = this.#suffixes.get(suffix);
    const named = method === undefined ? base : base.slice(0, Math.max(dot, 0));
    const segment = named === '' || named === 'index' ? undefined : this.#segmentIn(directory, named);
    const read = { segment, method, suffix: method && suffix };
    this.#fileNames.set(name, read);
    return read;
  }

  #segmentIn(directory: DirectoryPath, name: string): Segment {
    refuseBelowRest(directory);
    const segment = this.#segments.get(name) ?? readSegment(name);
    this.#segments.set(name, segment);
    return segment;
  }
}

/** The index of the dot before the suffix, which isn't one in `[...rest]`. */
function suffixDot(name: string): number {
  const dot = name.lastIndexOf('.');
  return dot > name.lastIndexOf(']') ? dot : -1;
}

/** `(group)` directories organize files and don't add a URL segment. */
const isGroup = (name: string): boolean => name.startsWith('(') && /^\([^()]+\)$/.test(name);

const directoryIn = (parent: DirectoryPath, segment: Segment, directory: string): DirectoryPath => ({
  directory,
  parent,
  path: pathIn(parent, segment),
  params: paramsIn(parent, segment),
  rest: segment.isRest ? segment : undefined,
});

function pathIn(directory: DirectoryPath, segment: Segment): string {
  refuseBelowRest(directory);
  return `${directory.path}/${segment.text}`;
}

function paramsIn({ params }: DirectoryPath, { param }: Segment): readonly string[] {
  if (param === undefined) return params;
  if (params.includes(param)) throw new PathError(`uses the parameter "${param}" twice. Rename one of them.`);
  return [...params, param];
}

function refuseBelowRest({ rest }: DirectoryPath): void {
  if (rest) throw bad(`[...${rest.param}]`, 'a catch-all must be the last segment');
}

function readSegment(name: string): Segment {
  if (name.startsWith(':') || name.startsWith('*'))
    throw bad(name, 'a segment must not begin with ":" or "*"');
  if (!name.includes('[') && !name.includes(']')) return { text: name, param: undefined, isRest: false };
  const [whole, dots, param = ''] = /^\[(\.\.\.)?([^[\]]*)\]$/.exec(name) ?? [];
  if (whole === undefined) {
    const closed = name.split('[').length === name.split(']').length;
    throw bad(name, closed ? 'brackets must enclose the whole segment' : 'the brackets are unbalanced');
  }
  if (!NAME.test(param)) throw bad(name, `"${param}" is not a valid parameter name`);
  return { text: `${dots ? '*' : ':'}${param}`, param, isRest: dots !== undefined };
}

const bad = (name: string, why: string) =>
  new PathError(`has an invalid path segment "${name}": ${why}. ${FORMS}.`);
