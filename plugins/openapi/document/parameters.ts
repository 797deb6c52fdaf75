import { isObject, isThenable } from '../../../kernel/index.js';
import type { JsonSchema, StandardSchema } from '../../http/index.js';
import { listed, MAX_DEPTH } from '../../http/internal.js';
import type { Components } from './components.js';
import { type PathTemplate, paramsOf } from './paths.js';

interface Parameter extends JsonSchema {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
}

/** Headers that OpenAPI describes elsewhere: parameters with these names are ignored (3.1 §4.8.12). */
const DESCRIBED_ELSEWHERE: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization']);

const REST_NOTE = 'The rest of the path: one segment or more.';

function parameter(place: Parameter['in'], { name, required, schema }: Field): Parameter {
  const { description, deprecated, ...rest } = schema;
  return {
    name,
    in: place,
    ...(required ? { required } : {}),
    ...(description === undefined ? {} : { description }),
    ...(deprecated === true ? { deprecated } : {}),
    schema: rest,
  };
}

/**
 * The parameters of `path`, by their names in the template. The names in `path` have the same order, but differ if two
 * files of one path name them differently.
 */
export function pathParameters(
  { names }: PathTemplate,
  path: string,
  schema: JsonSchema | undefined,
  components: Components,
): Parameter[] {
  const fields = schema ? fieldsOf(schema, components).named : [];
  const own = paramsOf(path);
  const isCatchAll = path.includes('/*');
  return names.map((name, index) => {
    const known = fields.find((field) => field.name === own[index])?.schema ?? { type: 'string' };
    const isRest = isCatchAll && index === names.length - 1;
    const declared = parameter('path', {
      name,
      required: true,
      schema: isRest ? { description: REST_NOTE, ...known } : known,
    });
    return isRest ? { ...declared, 'x-catch-all': true } : declared;
  });
}

export function queryParameters(schema: JsonSchema, components: Components): Parameter[] {
  const { named, others } = fieldsOf(schema, components);
  const parameters = named.map((field) => parameter('query', withoutText(field, components)));
  if (!others) return parameters;
  // In the style `form`, an object stands for one parameter per property, and its own name is not used.
  const rest = { name: 'others', required: false, schema: { type: 'object', additionalProperties: others } };
  return [...parameters, { ...parameter('query', rest), style: 'form', explode: true }];
}

export const headerParameters = (schema: JsonSchema, components: Components): Parameter[] =>
  fieldsOf(schema, components)
    .named.filter(({ name }) => !DESCRIBED_ELSEWHERE.has(name.toLowerCase()))
    .map((field) => parameter('header', withoutText(field, components)));

/** A URL has no text for null and an empty list: without the parameter, the schema gets this value. */
function withoutText(field: Field, components: Components): Field {
  const accepts = (schema: JsonSchema, depth = 0): boolean => {
    const { type, anyOf, oneOf } = components.dereference(schema);
    if ([type].flat().some((one) => one === 'null' || one === 'array')) return true;
    return depth < MAX_DEPTH && [...listed(anyOf), ...listed(oneOf)].some((one) => accepts(one, depth + 1));
  };
  return field.required && accepts(field.schema) ? { ...field, required: false } : field;
}

/** Whether a request without a body is valid. */
export function isOptional(schema: StandardSchema): boolean {
  try {
    const checked = schema['~standard'].validate(undefined);
    if (!isThenable(checked)) return checked.issues === undefined;
    // The result of an asynchronous check comes too late.
    Promise.resolve(checked).catch(() => {});
  } catch {
    // A check that throws gives no answer.
  }
  return false;
}

interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

interface Fields {
  readonly named: readonly Field[];
  /** The schema of properties with any other name, if they are allowed. */
  readonly others: JsonSchema | undefined;
}

interface Found {
  readonly schemas: Map<string, JsonSchema[]>;
  readonly required: ReadonlySet<string>;
  readonly others: JsonSchema | undefined;
}

const NOTHING: Found = { schemas: new Map(), required: new Set(), others: undefined };

/** The properties of an object, including the properties of all its alternatives. */
function fieldsOf(schema: JsonSchema, components: Components): Fields {
  const { schemas, required, others } = visit(schema, components, 0);
  return {
    named: [...schemas].map(([name, alternatives]) => ({
      name,
      required: required.has(name),
      schema: alternatives.length === 1 ? (alternatives[0] ?? {}) : { anyOf: alternatives },
    })),
    others,
  };
}

function visit(schema: JsonSchema, components: Components, depth: number): Found {
  if (depth > MAX_DEPTH) return NOTHING;
  const { properties, required, additionalProperties, allOf, anyOf, oneOf } = components.dereference(schema);
  const inside = (list: unknown): Found[] => listed(list).map((one) => visit(one, components, depth + 1));
  const own: Found = {
    schemas: new Map(
      Object.entries(isObject(properties) ? properties : {}).map(([name, one]) => [
        name,
        [isObject(one) ? one : {}],
      ]),
    ),
    required: new Set(Array.isArray(required) ? required.map(String) : []),
    others: isObject(additionalProperties) ? additionalProperties : undefined,
  };
  const alternatives = [...inside(anyOf), ...inside(oneOf)];
  const either = alternatives.length === 0 ? [] : [merged(alternatives, commonOf(alternatives))];
  const parts = [own, ...inside(allOf), ...either];
  return merged(parts, new Set(parts.flatMap((part) => [...part.required])));
}

function commonOf(alternatives: readonly Found[]): ReadonlySet<string> {
  const [first, ...rest] = alternatives;
  return new Set([...(first?.required ?? [])].filter((name) => rest.every((one) => one.required.has(name))));
}

function merged(parts: readonly Found[], required: ReadonlySet<string>): Found {
  const schemas = new Map<string, JsonSchema[]>();
  for (const part of parts)
    for (const [name, own] of part.schemas) schemas.set(name, [...(schemas.get(name) ?? []), ...own]);
  return { schemas, required, others: parts.find(({ others }) => others)?.others };
}
