/** The entry for TanStack Query, published as `fwkit/client/query`. It needs no package of TanStack itself. */
import type { Calls, Client, Outcome, PathsOf } from './calls.js';
import { data } from './index.js';
import type { Operation } from './operation.js';
import type { AnyOptions } from './outcome.js';

/** The paths that GET requests can read. */
type Readable<P> = { [Path in keyof P as P[Path] extends { readonly get: unknown } ? Path : never]: P[Path] };

type Get<P, Path, Extra> = Path extends keyof P
  ? Calls<P[Path], Path, Extra> extends { readonly get: infer Call extends (...options: never) => unknown }
    ? Call
    : never
  : never;
type Result<Call extends (...options: never) => unknown> =
  Awaited<ReturnType<Call>> extends infer Each
    ? Each extends { readonly ok: true; readonly data: infer Data }
      ? Data
      : never
    : never;

/**
 * The key and the function of a query for TanStack Query: `useQuery(queryOptions(api, '/books/:id', { params: { id: 1 } }))`.
 * The key is the path and the input, so `{ queryKey: ['/books/:id'] }` matches all queries of the path.
 */
export function queryOptions<P, Extra, Path extends string>(
  api: Client<P, Extra>,
  path: Path extends keyof Readable<P> ? Path : PathsOf<Readable<P>>,
  ...options: Parameters<Get<P, Path, Extra>>
): {
  readonly queryKey: readonly [path: Path, input: Readonly<Record<string, unknown>>];
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<Result<Get<P, Path, Extra>>>;
};
export function queryOptions(api: object, path: string, options: AnyOptions = {}): object {
  const { params, query, headers } = options;
  const { get } = (api as (path: string) => { get(options: object): Promise<Outcome<Operation>> })(path);
  const input = JSON.stringify({ params, query, headers }, (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return {
    queryKey: [path, JSON.parse(input)],
    queryFn: async ({ signal }: { readonly signal: AbortSignal }) =>
      data(get({ ...options, signal: options.signal ? AbortSignal.any([signal, options.signal]) : signal })),
  };
}
