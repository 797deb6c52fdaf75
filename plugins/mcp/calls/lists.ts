import { isObject, type ProblemCode } from '../../../kernel/index.js';
import type { RuntimeCtx } from '../../../scope/index.js';
import type { Described, Resource } from '../definitions/definition.js';
import type { JsonSchema } from '../definitions/schema-types.js';
import { pageUri } from '../table/names.js';
import type { TemplateEntry } from '../table/table.js';
import type { CallContext } from './call-context.js';
import { hasScopes, visibleTools } from './visible.js';

/** The input schema of a tool without arguments (MCP 2025-11-25, Tools, Data Types). */
const NO_INPUT: JsonSchema = { type: 'object', additionalProperties: false };

const about = ({ title, description, icons, _meta }: Omit<Described, 'name'>) => ({
  title,
  description,
  icons,
  _meta,
});

/** Leaves out tools whose schemas cannot be read: importing the module of a route may throw. */
export async function listTools(context: CallContext): Promise<Record<string, unknown>[]> {
  const { project } = context.offering;
  const listed = (await visibleTools(context)).map(async ({ name, file, tool, schemas }) => {
    try {
      const { input, output } = await schemas();
      return defined({
        name,
        ...about(tool),
        inputSchema: input?.json ?? NO_INPUT,
        outputSchema: output?.json,
        annotations: tool.annotations,
        ...(tool.view === undefined
          ? {}
          : { _meta: { ...tool._meta, ui: { ...Object(tool._meta?.ui), resourceUri: pageUri(tool.view) } } }),
      });
    } catch (thrown) {
      project.logger.error(
        { code: 'FWK514' satisfies ProblemCode, err: thrown },
        `The tool ${name} is not listed, because ${project.display(file)} throws`,
      );
      return undefined;
    }
  });
  return (await Promise.all(listed)).filter((one) => one !== undefined);
}

export const listResources = (context: CallContext): Record<string, unknown>[] =>
  [...context.offering.table.resources.values()]
    .filter(({ resource }) => hasScopes(context, resource))
    .map(({ uri, name, resource }) => {
      const { mimeType, annotations, size } = resource;
      return defined({ uri, name, ...about(resource), mimeType, annotations, size });
    });

/** The resources with variables in their URI that a client may read. */
export const visibleTemplates = (context: CallContext): readonly TemplateEntry[] =>
  [...context.offering.table.templates.values()].filter(({ resource }) => hasScopes(context, resource));

/** The resources that the `list` function of a URI with variables returns. Rejects if `list` throws. */
export async function listOf(resource: Resource, ctx: RuntimeCtx): Promise<Record<string, unknown>[]> {
  const found = (await resource.list?.(ctx)) ?? [];
  const { mimeType, annotations } = resource;
  return found.map((one) => defined({ ...about(resource), mimeType, annotations, name: one.uri, ...one }));
}

export const listTemplates = (context: CallContext): Record<string, unknown>[] =>
  visibleTemplates(context).map(({ uri, name, resource }) => {
    const { mimeType, annotations } = resource;
    return defined({ uriTemplate: uri.text, name, ...about(resource), mimeType, annotations });
  });

export const listPrompts = (context: CallContext): Record<string, unknown>[] =>
  [...context.offering.table.prompts.values()]
    .filter(({ prompt }) => hasScopes(context, prompt))
    .map(({ name, prompt, input }) =>
      defined({ name, ...about(prompt), arguments: input && argumentsOf(input.json) }),
    );

/** A prompt's arguments as the plain list that clients get instead of a schema. */
function argumentsOf({ properties, required }: JsonSchema): Record<string, unknown>[] {
  return Object.entries(isObject(properties) ? properties : {}).map(([name, property]) => {
    const { title, description } = isObject(property) ? property : {};
    return defined({
      name,
      title,
      description,
      required: Array.isArray(required) && required.includes(name),
    });
  });
}

/** The values that a property of a schema lists. */
export function enumerated({ properties }: JsonSchema, name: string): readonly string[] {
  const property = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  const values = isObject(property) && Array.isArray(property.enum) ? property.enum : [];
  return values.filter((value) => typeof value === 'string');
}

/** Omits the members that are undefined. */
const defined = (members: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
