import type { RuntimeCtx } from 'fwkit';
import type { Plugin } from 'fwkit/plugin';
import type { GraphQLResolveInfo } from 'graphql';

/** The options of `graphql` in `fwk.config`. */
export interface GraphqlOptions {
  /** The maximum number of tokens in a query, because parsing a long query takes too much time. Default: 10,000. */
  readonly maxTokens?: number;
}

/** The default export of `graphql/schema.ts`. */
export interface Schema {
  readonly text: string;
}

/** The default export of a file `graphql/<Type>/<field>.ts`. */
export interface Resolver {
  readonly run: (source: never, args: never, ctx: RuntimeCtx, info: GraphQLResolveInfo) => unknown;
}

/** `export default schema('type Query { … }')`: the types of the endpoint, in the GraphQL schema definition language. */
export function schema(text: string): Schema;

/**
 * `export default resolver((source, args, ctx) => …)`: returns the value of a field, or a promise of it. `source` is the object with
 * the field, or undefined for Query and Mutation. `args` are validated against the schema.
 */
export function resolver<Source, Args>(
  run: (source: Source, args: Args, ctx: RuntimeCtx, info: GraphQLResolveInfo) => unknown,
): Resolver;

/** The plugin: `export default defineConfig({ plugins: [graphql()] })`. */
export function graphql(): Plugin;
