import type { Project } from '../../../kernel/index.js';
import { type Endpoint, isEndpoint } from './endpoint.js';
import { METHOD_OF_SUFFIX, type Method, wrapperName } from './route.js';

export interface Convention {
  /** The first word of its routes in `fwk routes`; without one, their method. */
  readonly verb?: string;
  /** Suffixes of file names, and the method that each stands for: `{ get: 'GET' }`. */
  readonly suffixes: Readonly<Record<string, Method>>;
  /** The endpoint that a default export stands for; undefined where it stands for none. */
  endpointOf(
    exported: unknown,
    project: Project,
  ): Pick<Endpoint, 'method' | 'handler' | 'metadata' | 'definition'> | undefined;
  /**
   * The names by which the typed client calls an endpoint of a file, as TypeScript: `suffix` is that of the file name,
   * `endpoint` the type of its default export. Default: the client does not know it.
   */
  calls?(endpoint: string, suffix: string | undefined): string;
  /** The TypeScript type of its default exports, for the compiler: see `ExportCheck`. Default: they are not checked. */
  readonly accepts?: string;
  /** The problem of a module without a default export. It completes "the file …". */
  readonly missing: string;
  /** The problem of a module whose default export stands for no endpoint. */
  readonly unwrapped: string;
}

/** What the types of projects are imported from. */
const PACKAGE = 'fwkit';

/** The name by which the client calls what a suffix stands for. `all` says no single one. */
const CALLED_OF_SUFFIX: ReadonlyMap<string | undefined, string | undefined> = new Map(
  Object.entries(METHOD_OF_SUFFIX).map(([suffix, method]) => [
    suffix,
    method === 'ALL' ? undefined : wrapperName(method),
  ]),
);

/** Modules that export an endpoint, made by a method wrapper. */
export const METHODS: Convention = {
  suffixes: METHOD_OF_SUFFIX,
  endpointOf: (exported) => (isEndpoint(exported) ? exported : undefined),
  calls: (endpoint, suffix) => {
    const called = CALLED_OF_SUFFIX.get(suffix);
    return called === undefined ? `ByMethod<${endpoint}>` : `{ readonly ${called}: ${endpoint} }`;
  },
  accepts: `import('${PACKAGE}').Endpoint`,
  missing: 'has no default export. Export a handler wrapped in get(), post() or another method.',
  unwrapped: 'has a default export that is not wrapped. Wrap the handler in get(), post() or another method.',
};
