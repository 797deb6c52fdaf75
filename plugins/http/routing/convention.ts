import type { Project } from '../../../kernel/index.js';
import { type Endpoint, isEndpoint } from './endpoint.js';
import { METHOD_OF_SUFFIX, type Method, wrapperName } from './route.js';

/** How a plugin turns the files of one directory into HTTP routes. */
export interface Convention {
  /** The first word in the list of `fwk routes`. Default: the method of the route. */
  readonly verb?: string;
  /** Suffixes of file names and their methods: `{ get: 'GET' }`. */
  readonly suffixes: Readonly<Record<string, Method>>;
  /** The endpoint for a default export; undefined if it isn't one. */
  endpointOf(
    exported: unknown,
    project: Project,
  ): Pick<Endpoint, 'method' | 'handler' | 'metadata' | 'definition'> | undefined;
  /**
   * The members of the typed client for a file, as TypeScript. `suffix` is the suffix of the file name, `endpoint` the type
   * of the default export. Default: the typed client doesn't have the file.
   */
  calls?(endpoint: string, suffix: string | undefined): string;
  /** The TypeScript type of default exports, which the compiler checks: see `ExportCheck`. Default: no check. */
  readonly accepts?: string;
  /** The problem with a module without a default export. Completes the sentence "the file …". */
  readonly missing: string;
  /** The problem with a module whose default export isn't an endpoint. */
  readonly unwrapped: string;
}

/** The package that the types of projects import from. */
const PACKAGE = 'fwkit';

/** The client's method name for each suffix. `all` has none, because it covers every method. */
const CALLED_OF_SUFFIX: ReadonlyMap<string | undefined, string | undefined> = new Map(
  Object.entries(METHOD_OF_SUFFIX).map(([suffix, method]) => [
    suffix,
    method === 'ALL' ? undefined : wrapperName(method),
  ]),
);

/** Modules that export an endpoint made with a method wrapper. */
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
