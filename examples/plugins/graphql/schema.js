import { messageOf } from 'fwkit/plugin';
import { buildSchema, GraphQLError, isObjectType, validateSchema } from 'graphql';
import { resolvers, schemas } from './definitions.js';

/** @import { Namespace, Project, RouteMember } from 'fwkit/plugin' */
/** @import { GraphQLFieldResolver, GraphQLSchema } from 'graphql' */
/** @typedef {{ schema: GraphQLSchema, file: string, members: readonly RouteMember[] }} Loaded */
/** @typedef {{ file: string, module: Namespace | undefined }} Loading */

/**
 * The schema of a project, with its resolvers. Undefined after a mistake has been reported. @param {Project} project
 * @returns {Promise<Loaded | undefined>}
 */
export async function loadSchema(project) {
  const modules = await Promise.all(
    project.files('graphql').map(async (entry) => ({ ...entry, module: await project.load(entry) })),
  );
  const pathOf = (/** @type {string} */ name) => project.display(`graphql/${name}.${project.language}`);
  const source = modules.find(({ file }) => /^graphql\/schema\.m?[jt]s$/.test(file));
  if (!source)
    return void project.report(
      modules[0].file,
      `needs a schema beside it. Add ${pathOf('schema')}.`,
      'GRAPHQL-1',
    );
  const schema = built(source, project);
  if (!schema) return;

  /** @type {Map<string, RouteMember>} */
  const members = new Map();
  for (const one of modules) if (one !== source) attach(one);
  const report = (/** @type {string} */ mistake) => project.report(source.file, mistake, 'GRAPHQL-2');
  for (const type of [schema.getQueryType(), schema.getMutationType()])
    for (const name of Object.keys(type?.getFields() ?? {}))
      if (!members.has(`${type}.${name}`))
        report(`has ${type}.${name}, which nothing resolves. Add ${pathOf(`${type}/${name}`)}.`);
  return { schema, file: source.file, members: [...members.values()] };

  /** Attaches a file's export as the resolver of the field in its name. */
  function attach(/** @type {Loading} */ { file, module }) {
    const [, kind = '', name = ''] = /^graphql\/(\w+)\/(\w+)\.m?[jt]s$/.exec(file) ?? [];
    const type = schema?.getType(kind);
    const field = isObjectType(type) ? type.getFields()[name] : undefined;
    const what = `resolves ${kind}.${name}, which`;
    const other = members.get(`${kind}.${name}`);
    const label = `${kind}.${name}`;
    members.set(label, { kind, name, label, id: `graphql ${label}`, file });
    const report = (/** @type {string} */ mistake) => project.report(file, mistake, 'GRAPHQL-2');
    if (!module) return;
    if (!name) return report('resolves no field. Move it to graphql/<Type>/<field>, or out of graphql/.');
    if (!field) return report(`${what} the schema does not have. Rename it, or add the field.`);
    if (other) return report(`${what} ${project.display(other.file)} resolves too. Delete one of them.`);
    if (!resolvers.has(module.default))
      return report('is not a resolver. Export default resolver((source, args, ctx) => …).');
    field.resolve = /** @type {GraphQLFieldResolver<unknown, unknown>} */ (module.default.run);
  }
}

/** @type {(source: Loading, project: Project) => GraphQLSchema | undefined} */
function built({ file, module }, project) {
  if (!module) return;
  if (!schemas.has(module.default))
    return void project.report(
      file,
      'is not a schema. Export default schema(`type Query { … }`).',
      'GRAPHQL-3',
    );
  try {
    const schema = buildSchema(module.default.text);
    const mistakes = validateSchema(schema).map(({ message }) => message);
    if (schema.getSubscriptionType()) mistakes.push('Subscriptions are not supported.');
    for (const mistake of mistakes)
      project.report(file, `has a mistake in its schema: ${mistake}`, 'GRAPHQL-4');
    if (mistakes.length === 0) return schema;
  } catch (thrown) {
    const [place] = (thrown instanceof GraphQLError && thrown.locations) || [];
    const where = place ? `, in line ${place.line} of the text` : '';
    const why = messageOf(thrown).replaceAll('\n\n', ' ');
    project.report(file, `has a schema that cannot be read${where}: ${why}.`, 'GRAPHQL-4');
  }
}
