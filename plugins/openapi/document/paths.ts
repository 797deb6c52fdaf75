import type { HttpRoute } from '../../http/index.js';
import { readPath } from '../../http/internal.js';

export interface PathTemplate {
  /** `/api/books/{id}` */
  readonly template: string;
  /** Names in the template, in order. */
  readonly names: readonly string[];
}

const isParam = (segment: string): boolean => segment.startsWith(':') || segment.startsWith('*');

export const paramsOf = (path: string): readonly string[] => readPath(path).names;

export function templateOf(path: string): PathTemplate {
  const segments = path.split('/');
  return {
    template: segments
      .map((segment) => (isParam(segment) ? `{${segment.slice(1)}}` : encoded(segment)))
      .join('/'),
    names: paramsOf(path),
  };
}

/** The path without the names of its parameters. */
export const shapeOf = (path: string): string => readPath(path).shape;

/** OpenAPI has one path for all that differ only in parameters (3.1 §4.8.8): `c/[q]` and `c/[...p]`. */
export const templateKeyOf = (path: string): string => shapeOf(path).replaceAll('/*', '/:');

const encoded = (segment: string): string => encodeURI(segment).replaceAll('?', '%3F').replaceAll('#', '%23');

/** ASCII letters and digits, because tools reject others. `é` becomes `e`, `茶` becomes `U8336`. */
const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(
      /[^\x20-\x7e]/gu,
      (character) => ` U${character.codePointAt(0)?.toString(16).toUpperCase() ?? ''} `,
    );

export const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

const inCamelCase = (text: string): string =>
  plain(text)
    .split(/[^A-Za-z0-9]+/)
    .map(capitalize)
    .join('');

/** `get /api/v1/books/:id` becomes `getApiV1BooksById`. */
const operationId = (method: string, path: string): string =>
  method +
  path
    .split('/')
    .map((segment) => inCamelCase(segment.replace(/^:/, 'by-').replace(/^\*/, 'all-')))
    .join('');

/** Gives each operation a unique ID: the later of two operations with the same ID gets a number. */
export class OperationIds {
  readonly #taken: Set<string>;

  /** `own` are the IDs that routes choose themselves. */
  constructor(own: readonly string[]) {
    this.#taken = new Set(own);
  }

  take(method: string, path: string): string {
    const wanted = operationId(method, path);
    let id = wanted;
    for (let count = 2; this.#taken.has(id); count++) id = `${wanted}_${count}`;
    this.#taken.add(id);
    return id;
  }
}

/** The first segment that describes the subject of a route: not a mount, a version or a parameter. */
export const tagOf = ({ path }: Pick<HttpRoute, 'path'>): string =>
  path.split('/').find((segment) => segment !== '' && !isParam(segment) && !/^(api|v\d+)$/.test(segment)) ??
  'default';
