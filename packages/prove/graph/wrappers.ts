import { type Imported, packageOf } from './imported.js';

/** Which parameter of a function is `ctx`, or which property of its first one: `'ctx'`. */
export type Place = number | 'ctx';

/** What a function of a package takes that is called with `ctx` later. */
export interface Wrapper {
  /** Of the function that is handed to it. */
  readonly argument?: Place;
  /** Which of its arguments that function is; default: the last. */
  readonly index?: number;
  /** Of functions in the object that it takes first, by property. */
  readonly properties?: Readonly<Record<string, Place>>;
}

const endpoint: Wrapper = { argument: 2 };
const stream: Wrapper = { argument: 'ctx' };

const FWKIT: Readonly<Record<string, Wrapper>> = {
  get: endpoint,
  post: endpoint,
  put: endpoint,
  patch: endpoint,
  del: endpoint,
  head: endpoint,
  options: endpoint,
  all: endpoint,
  middleware: { argument: 2, index: 0 },
  service: { argument: 0, index: 0 },
  di: { properties: { value: 0 } },
  ws: stream,
  sse: stream,
  tool: { properties: { handler: 1 } },
  resource: { properties: { handler: 1, list: 0, complete: 1 } },
  prompt: { properties: { handler: 1, complete: 1 } },
  auth: { properties: { verify: 1 } },
};

const OTHERS: Readonly<Record<string, Readonly<Record<string, Wrapper>>>> = {
  '@fwkit/cron': { job: { argument: 0, index: 1 } },
  '@fwkit/queue': { queue: { argument: 1, index: 0 } },
};

/** Packages whose functions only describe: calling one while a module is imported does nothing else. */
const DESCRIBING = new Set([
  'fwkit',
  '@fwkit/cron',
  '@fwkit/queue',
  'zod',
  'valibot',
  '@valibot/to-json-schema',
  'arktype',
  'yup',
  'superstruct',
  'typebox',
  '@sinclair/typebox',
]);

/** What a wrapper takes; undefined for functions that are not known as one. */
export function wrapperOf({ specifier, name }: Imported): Wrapper | undefined {
  const table = packageOf(specifier) === 'fwkit' ? FWKIT : OTHERS[packageOf(specifier)];
  return table && Object.hasOwn(table, name) ? table[name] : undefined;
}

export const isDescribing = (specifier: string): boolean => DESCRIBING.has(packageOf(specifier));
