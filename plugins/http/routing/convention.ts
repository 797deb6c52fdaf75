import type { Project } from '../../../kernel/index.js';
import { type Endpoint, isEndpoint } from './endpoint.js';
import { METHOD_OF_SUFFIX, type Method } from './methods.js';

/** What the modules of a directory export, and what is said of it. */
export interface Convention {
  /** The first word of its routes in `fwk routes`; without one, their method. */
  readonly verb?: string;
  /** What file names may end in, and the method that it stands for. */
  readonly suffixes: Readonly<Record<string, Method>>;
  /** The endpoint that a default export stands for; undefined where it stands for none. */
  endpointOf(
    exported: unknown,
    project: Project,
  ): Pick<Endpoint, 'method' | 'handler' | 'metadata'> | undefined;
  /** Told of a module without a default export, and of one whose default export stands for no endpoint. */
  readonly missing: string;
  readonly unwrapped: string;
}

/** What method wrappers make. */
export const METHODS: Convention = {
  suffixes: METHOD_OF_SUFFIX,
  endpointOf: (exported) => (isEndpoint(exported) ? exported : undefined),
  missing: 'has no default export. Export a handler wrapped in get(), post() or another method.',
  unwrapped: 'has a default export that is not wrapped. Wrap the handler in get(), post() or another method.',
};
