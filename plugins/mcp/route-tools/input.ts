import { isObject } from '../../../kernel/index.js';
import { type AnyDefinition, jsonSchemaOf, type StandardSchema } from '../../http/index.js';
import type { JsonSchema } from '../definitions/schema-types.js';
import { MAX_DEPTH, resolved, takesObjectsOnly } from '../table/object-root.js';
import { remedyFor } from '../table/schema.js';
import { combinationsOf, moved, propertiesOf, refersToItself, requiredOf } from './object-schema.js';

/** The parts of a request that arguments go to. */
const PARTS = ['params', 'query', 'body'] as const;
export type ArgumentPart = (typeof PARTS)[number];

/** The arguments of a tool that is a route. */
export interface RouteInput {
  /** All parts in one object. */
  readonly json: JsonSchema;
  /** The part that each argument goes to. */
  readonly partOf: ReadonlyMap<string, ArgumentPart>;
  /** The part that takes arguments of other names; undefined where there is none. */
  readonly others: 'query' | 'body' | undefined;
}

/** Headers that requests of a tool have, or may have. */
const SENT: ReadonlySet<string> = new Set(['accept', 'authorization', 'cookie', 'host']);

/**
 * The arguments of a route that is a tool. `names` are the parameters of its path. What no tool can have is reported as a
 * sentence each, which completes "the file is a tool, …".
 */
export function routeInput(
  definition: AnyDefinition,
  names: readonly string[],
  report: (mistake: string) => void,
): RouteInput {
  const schemas = new Map<ArgumentPart, JsonSchema>();
  if (!definition.params && names.length > 0) schemas.set('params', textsOf(names));
  for (const part of PARTS) {
    const schema = definition[part];
    const json = schema && readSchema(schema, part, report);
    if (json) schemas.set(part, json);
  }
  reportHeaders(definition.headers, report);

  const partOf = new Map<string, ArgumentPart>();
  for (const [part, json] of schemas)
    for (const name of propertiesOf(json, json).keys()) {
      const other = partOf.get(name);
      if (other) report(`and both its ${other} and its ${part} have "${name}": rename one of them`);
      else partOf.set(name, part);
    }
  const others = definition.body ? 'body' : definition.query ? 'query' : undefined;
  return { json: flat(schemas, others), partOf, others };
}

const textsOf = (names: readonly string[]): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  required: names,
});

function readSchema(
  schema: StandardSchema,
  part: ArgumentPart,
  report: (mistake: string) => void,
): JsonSchema | undefined {
  const json = jsonSchemaOf(schema, 'input');
  if (!json)
    report(`and its ${part} schema has no JSON Schema, which clients need: ${remedyFor(schema, 'within')}`);
  else if (!takesObjectsOnly(json, json))
    report(`and its ${part} schema takes more than objects, which arguments always are`);
  else {
    for (const [name, property] of propertiesOf(json, json))
      if (takesFile(property, json)) report(`and "${name}" of its ${part} is a file: arguments are JSON`);
    return json;
  }
  return undefined;
}

/** Whether a property is a file, or a list of them. */
function takesFile(property: unknown, root: JsonSchema, depth = 0): boolean {
  if (!isObject(property) || depth > MAX_DEPTH) return false;
  const { format, contentEncoding, items } = resolved(property, root);
  return format === 'binary' || contentEncoding === 'binary' || takesFile(items, root, depth + 1);
}

function reportHeaders(headers: StandardSchema | undefined, report: (mistake: string) => void): void {
  if (!headers) return;
  const json = jsonSchemaOf(headers, 'input');
  if (!json)
    return report(
      `and its headers schema has no JSON Schema, by which to see what it requires: ${remedyFor(headers, 'within')}`,
    );
  for (const name of requiredOf(resolved(json, json)))
    if (!SENT.has(name)) report(`and its headers schema requires "${name}", which no argument can be`);
}

/** One schema of all parts. The route checks the values: what cannot be said of the whole is left out. */
function flat(schemas: ReadonlyMap<ArgumentPart, JsonSchema>, others: RouteInput['others']): JsonSchema {
  // Without a prototype: an argument may be called `constructor`.
  const properties: Record<string, unknown> = Object.create(null);
  const required: string[] = [];
  const allOf: JsonSchema[] = [];
  const $defs: Record<string, JsonSchema> = {};
  for (const [part, { $schema: _dialect, ...json }] of schemas) {
    // References lead into the whole schema of a part, which is kept where they are.
    const refers = refersToItself(json);
    const own = refers ? moved(json, `#/$defs/${part}`) : json;
    if (refers) $defs[part] = own;
    const root: JsonSchema = refers ? { $defs } : own;
    const combinations = combinationsOf(own, root);
    Object.assign(properties, Object.fromEntries(propertiesOf(combinations ? {} : own, root)));
    if (combinations) {
      const { properties: named } = resolved(own, root);
      Object.assign(properties, isObject(named) ? named : {});
      // A client may refuse, or drop, what is in no list of properties.
      for (const name of propertiesOf(own, root).keys()) properties[name] ??= {};
      allOf.push(combinations);
    }
    required.push(...requiredOf(resolved(own, root)));
  }
  const rest = others && schemas.get(others);
  const additionalProperties = rest ? resolved(rest, rest).additionalProperties : false;
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    ...(allOf.length > 0 ? { allOf } : {}),
    // Of a schema that refers to itself, this may too: what is not named is then left to the route.
    ...(additionalProperties === undefined ||
    (isObject(additionalProperties) && Object.keys($defs).length > 0)
      ? {}
      : { additionalProperties }),
    ...(Object.keys($defs).length > 0 ? { $defs } : {}),
  };
}
