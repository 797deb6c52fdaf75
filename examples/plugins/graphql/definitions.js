import { brand } from 'fwkit/plugin';

/** @import { Brand } from 'fwkit/plugin' */
/** @import { Resolver, Schema } from './index.js' */

/** @type {Brand<Schema>} */
export const schemas = brand('fwk-graphql.schema');
/** @type {Brand<Resolver>} */
export const resolvers = brand('fwk-graphql.resolver');

/** @type {typeof import('./index.js').schema} */
export function schema(text) {
  if (typeof text !== 'string') throw new TypeError('schema() takes the text of a GraphQL schema');
  return Object.freeze(schemas.mark({ text }));
}

/** @type {typeof import('./index.js').resolver} */
export function resolver(run) {
  if (typeof run !== 'function') throw new TypeError('resolver() takes a function (source, args, ctx)');
  return Object.freeze(resolvers.mark({ run }));
}
