import { isObject } from '../../../kernel/index.js';
import { isStandardSchema, jsonSchemaOf, type StandardSchema } from '../../http/index.js';
import { type AnyDefinition, listed, MAX_DEPTH, remedyFor, withReferences } from '../../http/internal.js';
import type { JsonSchema } from '../definitions/schema-types.js';
import { resolved, takesObjectsOnly, withObjectRoot } from '../table/schema.js';

const PARTS = ['params', 'query', 'body'] as const;
export type ArgumentPart = (typeof PARTS)[number];

export interface RouteInput {
  readonly json: JsonSchema;
  /** The part that each argument belongs to. */
  readonly partOf: ReadonlyMap<string, ArgumentPart>;
  /** The part that accepts arguments with other names; undefined if no part does. */
  readonly others: 'query' | 'body' | undefined;
}

/** Headers that a tool's request always or sometimes has. */
const SENT: ReadonlySet<string> = new Set(['accept', 'authorization', 'cookie', 'host']);

/**
 * The arguments of a route that is a tool. `names` are the parameters of its path. Reports
 * everything that a tool cannot have, each as a sentence that completes "the file is a tool, …".
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
  if (!json) report(withoutJsonSchema(part, schema));
  else if (!takesObjectsOnly(json, json))
    report(`and its ${part} schema accepts values that are not objects, but arguments are always an object`);
  else {
    for (const [name, property] of propertiesOf(json, json))
      if (takesFile(property, json)) report(`and "${name}" of its ${part} is a file: arguments are JSON`);
    return json;
  }
  return undefined;
}

const withoutJsonSchema = (part: string, schema: StandardSchema): string =>
  `and its ${part} schema has no JSON Schema, which clients need: ${remedyFor(schema, 'within')}`;

function takesFile(property: unknown, root: JsonSchema, depth = 0): boolean {
  if (!isObject(property) || depth > MAX_DEPTH) return false;
  const { format, contentEncoding, items } = resolved(property, root);
  return format === 'binary' || contentEncoding === 'binary' || takesFile(items, root, depth + 1);
}

function reportHeaders(headers: StandardSchema | undefined, report: (mistake: string) => void): void {
  if (!headers) return;
  const json = jsonSchemaOf(headers, 'input');
  if (!json) return report(withoutJsonSchema('headers', headers));
  for (const name of requiredOf(resolved(json, json)))
    if (!SENT.has(name)) report(`and its headers schema requires "${name}", which an argument cannot set`);
}

/** Merge the schemas of all parts. Rules that do not fit are omitted: the route checks the values. */
function flat(schemas: ReadonlyMap<ArgumentPart, JsonSchema>, others: RouteInput['others']): JsonSchema {
  // Has no prototype, because an argument may be called `constructor`.
  const properties: Record<string, unknown> = Object.create(null);
  const required: string[] = [];
  const allOf: JsonSchema[] = [];
  const $defs: Record<string, JsonSchema> = {};
  for (const [part, { $schema: _dialect, ...json }] of schemas) {
    // References point to the whole schema of a part, which is kept if the schema has references.
    const refers = refersToItself(json);
    const own = refers ? moved(json, `#/$defs/${part}`) : json;
    if (refers) $defs[part] = own;
    const root: JsonSchema = refers ? { $defs } : own;
    const combinations = combinationsOf(own, root);
    Object.assign(properties, Object.fromEntries(propertiesOf(combinations ? {} : own, root)));
    if (combinations) {
      const { properties: named } = resolved(own, root);
      Object.assign(properties, isObject(named) ? named : {});
      // A client may reject or drop arguments that are not in a list of properties.
      for (const name of propertiesOf(own, root).keys()) properties[name] ??= {};
      allOf.push(combinations);
    }
    required.push(...requiredOf(resolved(own, root)));
  }
  const rest = others && schemas.get(others);
  const additionalProperties = rest ? resolved(rest, rest).additionalProperties : false;
  const hasDefinitions = Object.keys($defs).length > 0;
  // The route checks the properties that are not listed, whose schema may refer to itself.
  const isOmitted = additionalProperties === undefined || (isObject(additionalProperties) && hasDefinitions);
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    ...(allOf.length > 0 ? { allOf } : {}),
    ...(isOmitted ? {} : { additionalProperties }),
    ...(hasDefinitions ? { $defs } : {}),
  };
}

/**
 * The JSON Schema of a route's successful responses. Undefined if the route has none, or if a
 * response has no body or is a file: then the response becomes text, an image, audio or bytes.
 */
export function routeOutput(
  { response }: AnyDefinition,
  report: (mistake: string) => void,
): JsonSchema | undefined {
  const schemas = isStandardSchema(response) ? [response] : Object.values(response ?? {});
  const found = schemas.map((schema) => {
    const json = schema && jsonSchemaOf(schema, 'output');
    if (schema && !json) report(withoutJsonSchema('response', schema));
    return json;
  });
  const known = found.filter((json) => json && !takesFile(json, json)).map((json) => dialectless(json ?? {}));
  const [only] = known;
  if (only === undefined || known.length < found.length) return undefined;
  if (known.length === 1) return withObjectRoot(only);
  return withObjectRoot({ anyOf: known.map((json, index) => moved(json, `#/anyOf/${index}`)) });
}

const dialectless = ({ $schema: _dialect, ...json }: JsonSchema): JsonSchema => json;

/** The properties of the objects that a schema accepts, including the properties of all alternatives. */
function propertiesOf(schema: JsonSchema, root: JsonSchema, depth = 0): Map<string, unknown> {
  const { properties, anyOf, oneOf, allOf } = resolved(schema, root);
  const own = new Map(isObject(properties) ? Object.entries(properties) : []);
  if (depth < MAX_DEPTH)
    for (const inner of [...listed(anyOf), ...listed(oneOf), ...listed(allOf)])
      for (const [name, property] of propertiesOf(inner, root, depth + 1))
        if (!own.has(name)) own.set(name, property);
  return own;
}

const requiredOf = ({ required }: JsonSchema): readonly string[] =>
  Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];

/** Relax a schema to accept objects with additional properties, which come from the other parts. */
function opened(schema: JsonSchema, root: JsonSchema, depth = 0): JsonSchema {
  const { properties, required, anyOf, oneOf, allOf } = resolved(schema, root);
  const inner = (list: unknown) => listed(list).map((one) => opened(one, root, depth + 1));
  return {
    ...(properties === undefined ? {} : { properties }),
    ...(required === undefined ? {} : { required }),
    ...(depth < MAX_DEPTH && anyOf !== undefined ? { anyOf: inner(anyOf) } : {}),
    // Without the forbidden properties, more than one alternative may match.
    ...(depth < MAX_DEPTH && oneOf !== undefined ? { anyOf: inner(oneOf) } : {}),
    ...(depth < MAX_DEPTH && allOf !== undefined ? { allOf: inner(allOf) } : {}),
  };
}

/** A schema's rules for combinations of properties (`anyOf`, `allOf` …); undefined if it has none. */
function combinationsOf(schema: JsonSchema, root: JsonSchema): JsonSchema | undefined {
  const { properties: _properties, required: _required, ...more } = opened(schema, root);
  return Object.keys(more).length > 0 ? more : undefined;
}

/** Rewrites a schema's references to its own root after it moved to `place`: `#` becomes `#/$defs/body`. */
const moved = (schema: JsonSchema, place: string): Record<string, unknown> =>
  withReferences(schema, (ref) => (ref.startsWith('#') ? place + ref.slice(1) : ref));

/** Whether a schema has references into its own root. */
const refersToItself = (json: JsonSchema): boolean => /"\$ref":"#/.test(JSON.stringify(json));
