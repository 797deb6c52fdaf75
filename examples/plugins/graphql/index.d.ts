import type { RuntimeCtx } from 'fwkit';
import type { Plugin } from 'fwkit/plugin';
import type { GraphQLResolveInfo } from 'graphql';

/** The options of `graphql` in `fwk.config`. */
export interface GraphqlOptions {
  /** How many tokens a query may have: what is longer costs too much to read. Default: 10,000. */
  readonly maxTokens?: number;
}

/** What `graphql/schema.ts` exports. */
export interface Schema {
  readonly text: string;
}

/** What a file `graphql/<Type>/<field>.ts` exports. */
export interface Resolver {
  readonly run: (source: never, args: never, ctx: RuntimeCtx, info: GraphQLResolveInfo) => unknown;
}

/** `export default schema('type Query { … }')`: the types of the endpoint, in the GraphQL schema definition language. */
export function schema(text: string): Schema;

/**
 * `export default resolver((source, args, ctx) => …)`: the value of a field, or a promise of it. `source` is the object that has
 * the field, undefined for Query and Mutation; `args` are checked against the schema.
 */
export function resolver<Source, Args>(
  run: (source: Source, args: Args, ctx: RuntimeCtx, info: GraphQLResolveInfo) => unknown,
): Resolver;

/** The plugin: `export default defineConfig({ plugins: [graphql()] })`. */
export function graphql(): Plugin;
