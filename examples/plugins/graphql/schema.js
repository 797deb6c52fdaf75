import { messageOf } from 'fwkit/plugin';
import { buildSchema, GraphQLError, isObjectType, validateSchema } from 'graphql';
import { resolvers, schemas } from './definitions.js';

/** @import { Namespace, Project, RouteMember } from 'fwkit/plugin' */
/** @typedef {{ schema: GraphQLSchema, file: string, members: readonly RouteMember[] }} Loaded */
/** @import { GraphQLFieldResolver, GraphQLSchema } from 'graphql' */

const NAME = /^graphql\/schema\.m?[jt]s$/;

/**
 * The schema of a project, with its resolvers. Undefined where something is wrong, which has been reported.
 *
 * @param {Project} project
 * @returns {Promise<Loaded | undefined>}
 */
export async function loadSchema(project) {
  const entries = project.files('graphql');
  const modules = await Promise.all(
    entries.map(async (entry) => ({ ...entry, module: await project.load(entry) })),
  );
  const source = modules.find(({ file }) => NAME.test(file));
  if (!source) {
    const missing = project.display(`graphql/schema.${project.language}`);
    return void project.report(entries[0]?.file ?? 'graphql/', `needs a schema beside it. Add ${missing}.`);
  }
  const { file, module } = source;
  if (!module) return undefined;
  if (!schemas.has(module.default))
    return void project.report(file, 'is not a schema. Export default schema(`type Query { … }`).');
  const schema = built(module.default.text, file, project);
  if (!schema) return undefined;

  /** @type {Map<string, string>} */
  const resolved = new Map();
  /** @type {RouteMember[]} */
  const members = [];
  for (const one of modules) if (one !== source) attach(one.file, one.module);
  for (const type of [schema.getQueryType(), schema.getMutationType()])
    for (const field of Object.keys(type?.getFields() ?? {}))
      if (type && !resolved.has(`${type.name}.${field}`)) {
        const path = project.display(`graphql/${type.name}/${field}.${project.language}`);
        project.report(file, `has ${type.name}.${field}, which nothing resolves. Add ${path}.`);
      }
  return { schema, file, members };

  /** Have the field that a file is named after resolved by what it exports. */
  function attach(/** @type {string} */ path, /** @type {Namespace | undefined} */ module) {
    const [, kind = '', name = ''] = /^graphql\/(\w+)\/(\w+)\.m?[jt]s$/.exec(path) ?? [];
    const type = schema?.getType(kind);
    const field = isObjectType(type) ? type.getFields()[name] : undefined;
    const other = resolved.get(`${kind}.${name}`);
    resolved.set(`${kind}.${name}`, path);
    const refuse = (/** @type {string} */ sentence) => project.report(path, sentence);
    if (!module) return;
    if (name === '')
      return refuse('resolves no field. Move it to graphql/<Type>/<field>, or out of graphql/.');
    const what = `resolves ${kind}.${name}, which`;
    if (!field) return refuse(`${what} the schema does not have. Rename it, or add the field.`);
    if (other) return refuse(`${what} ${project.display(other)} resolves too. Delete one of them.`);
    if (!resolvers.has(module.default))
      return refuse('is not a resolver. Export default resolver((source, args, ctx) => …).');
    field.resolve = /** @type {GraphQLFieldResolver<unknown, unknown>} */ (module.default.run);
    members.push({ kind, name, file: path });
  }
}

/** @type {(text: string, file: string, project: Project) => GraphQLSchema | undefined} */
function built(text, file, project) {
  try {
    const schema = buildSchema(text);
    const mistakes = validateSchema(schema).map(({ message }) => message);
    if (schema.getSubscriptionType()) mistakes.push('Subscriptions are not supported.');
    for (const mistake of mistakes) project.report(file, `has a mistake in its schema: ${mistake}`);
    return mistakes.length === 0 ? schema : undefined;
  } catch (thrown) {
    const [place] = (thrown instanceof GraphQLError && thrown.locations) || [];
    const where = place ? `, in line ${place.line} of the text` : '';
    const why = messageOf(thrown).replaceAll('\n\n', ' ');
    return void project.report(file, `has a schema that cannot be read${where}: ${why}.`);
  }
}
