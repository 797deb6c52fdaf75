import { isObject } from '../../kernel/index.js';
import type { HttpRoute } from '../http/index.js';

type Table<Value> = Readonly<Record<string, Value>>;

/** The media types of a body (OpenAPI 3.1 §4.8.14). Null removes one. */
type Content = Table<{
  readonly schema?: object;
  readonly example?: unknown;
  readonly examples?: Table<object>;
} | null>;

/** The parts of an operation that `.meta({ openapi })` changes (OpenAPI 3.1 §4.8.10). Null removes a part. */
export interface OperationPatch {
  readonly operationId?: string;
  readonly requestBody?: {
    readonly description?: string;
    readonly required?: boolean;
    readonly content?: Content;
  } | null;
  /** By status code, `2XX` or `default`. */
  readonly responses?: Table<{
    readonly description?: string;
    readonly headers?: Table<object | null>;
    readonly content?: Content;
    readonly links?: Table<object | null>;
  } | null>;
  readonly externalDocs?: { readonly url: string; readonly description?: string };
  readonly servers?: readonly { readonly url: string; readonly description?: string }[];
  readonly [extension: `x-${string}`]: unknown;
}

const KEYS = ['operationId', 'requestBody', 'responses', 'externalDocs', 'servers'];

/** The result of a JSON merge patch (RFC 7396). */
export function patched(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch))
    if (value === null) delete result[name];
    else result[name] = patched(result[name], value);
  return result;
}

/** Sentences about wrong values of `.meta({ openapi })`, by route. */
export function patchMistakes(routes: readonly HttpRoute[]): { file: string; message: string }[] {
  const files = new Map<string, string>();
  return routes.flatMap(({ file, method, meta: { openapi } }) => {
    if (openapi === undefined || openapi === false) return [];
    const message = mistakeIn(openapi, method, files);
    const id = openapi.operationId;
    if (message === undefined && id !== undefined) files.set(id, file);
    return message === undefined ? [] : [{ file, message }];
  });
}

function mistakeIn(patch: unknown, method: string, files: ReadonlyMap<string, string>): string | undefined {
  if (!isObject(patch))
    return `has .meta({ openapi: ${JSON.stringify(patch)} }). Make it false, an object, or leave it out.`;
  const unknown = Object.keys(patch).find((key) => !KEYS.includes(key) && !key.startsWith('x-'));
  if (unknown !== undefined)
    return `has .meta({ openapi }) with the unknown key "${unknown}". The keys are ${KEYS.join(', ')} and x-….`;
  const { operationId: id, requestBody, responses, externalDocs, servers } = patch;
  if (id !== undefined) {
    if (typeof id !== 'string' || !/^[A-Za-z_][\w.-]*$/.test(id))
      return `has the operationId ${JSON.stringify(id)}. Use letters, digits, "_", "-" and "." in an operationId.`;
    if (method === 'ALL')
      return 'has an operationId, but all() is several operations. Remove it, or use a wrapper for one method.';
    if (files.has(id))
      return `has the operationId "${id}", and so has another route. Give each route an operationId of its own.`;
  }
  const wrongStatus = Object.keys(Object(responses)).find((key) => !/^([1-5](\d\d|XX)|default)$/.test(key));
  if (wrongStatus !== undefined)
    return `has .meta({ openapi }) with the response "${wrongStatus}". Use a status code, such as 200 or 2XX, or default.`;
  const place =
    notObject(requestBody, 'requestBody', bodyParts) ??
    notObject(responses, 'responses', (all, place) =>
      firstOf(all, place, (one, at) => notObject(one, at, bodyParts)),
    ) ??
    notObject(externalDocs, 'externalDocs');
  if (place !== undefined) return `has .meta({ openapi }), in which "${place}" is not an object.`;
  if (servers !== undefined && !Array.isArray(servers))
    return 'has .meta({ openapi }), in which "servers" is not a list.';
  return undefined;
}

type Check = (value: Readonly<Record<string, unknown>>, place: string) => string | undefined;

/** The first place that should have an object, but has something else. Null removes a part. */
function notObject(value: unknown, place: string, inner?: Check): string | undefined {
  if (value === undefined || value === null) return undefined;
  return isObject(value) ? inner?.(value, place) : place;
}

const bodyParts: Check = ({ content, headers }, place) =>
  notObject(content, `${place}.content`, members) ?? notObject(headers, `${place}.headers`, members);

const members: Check = (all, place) => firstOf(all, place, notObject);

function firstOf(
  all: Readonly<Record<string, unknown>>,
  place: string,
  check: (value: unknown, place: string) => string | undefined,
): string | undefined {
  for (const [name, value] of Object.entries(all)) {
    const found = check(value, `${place}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
