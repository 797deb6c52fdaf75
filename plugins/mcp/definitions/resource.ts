import type { RuntimeCtx } from '../../../kernel/index.js';
import type { Call } from './call.js';
import { type Complete, type Described, define, isDefined } from './definition.js';

/** One read of a resource. */
export interface ResourceCall extends Call {
  /** The URI that is read, as the client wrote it. */
  readonly uri: string;
}

/** What `resource()` of a file in `mcp/resources/` takes. */
export interface Resource extends Described {
  /** Overrides the URI that the path gives; `{id}`, `{+path}` and `{?query}` are variables (RFC 6570). */
  readonly uri?: string;
  readonly mimeType?: string;
  readonly annotations?: {
    readonly audience?: readonly ('user' | 'assistant')[];
    /** From 0 to 1. */
    readonly priority?: number;
    /** ISO 8601. */
    readonly lastModified?: string;
  };
  /** In bytes. */
  readonly size?: number;
  /** Suggests values of variables: `{ id: (prefix, ctx) => [...] }`. */
  readonly complete?: Readonly<Record<string, Complete<RuntimeCtx>>>;
  /**
   * Lists the resources that a URI with variables stands for. One that is not listed can be read all the same.
   */
  list?(ctx: RuntimeCtx): readonly ListedResource[] | Promise<readonly ListedResource[]>;
  /**
   * The contents: a string, bytes, or an object, which becomes JSON. `null` and `undefined` mean that there is no such
   * resource. `variables` are strings, decoded.
   */
  handler(variables: Readonly<Record<string, string>>, ctx: RuntimeCtx, call: ResourceCall): unknown;
}

/** One resource of those that a URI with variables stands for. */
export interface ListedResource {
  readonly uri: string;
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** Define a resource: `export default resource({ description, handler: ({ id }, ctx) => … })` in `mcp/resources/`. */
export function resource(definition: Resource): Resource {
  return define('resource', definition, ['handler']);
}

export const isResource = (value: unknown): value is Resource => isDefined('resource', value);
