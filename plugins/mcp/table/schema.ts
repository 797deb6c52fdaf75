import { isObject, messageOf } from '../../../kernel/index.js';
import { isStandardSchema, jsonSchemaOf, type StandardSchema } from '../../http/index.js';
import {
  type Checked,
  dereference,
  listed,
  MAX_DEPTH,
  remedyFor,
  unsendableIn,
} from '../../http/internal.js';
import type { JsonSchema, Schema } from '../definitions/schema-types.js';
import { compileJsonSchema } from '../sdk/json-schema.js';

/** A compiled schema: the published JSON Schema, and a function that checks values. */
export interface CompiledSchema {
  readonly json: JsonSchema;
  check(value: unknown): Checked | Promise<Checked>;
}

/** The schema cannot be used. The message completes "its input …". */
export class SchemaError extends Error {}

/** Compile a schema for its input or output `side`. Throws a SchemaError if it has no JSON Schema. */
export function compileSchema(schema: Schema, side: 'input' | 'output'): CompiledSchema {
  if (isStandardSchema(schema)) {
    const json = publish(schema, side);
    const [unsendable] = unsendableIn(schema, side);
    if (unsendable) throw new SchemaError(unsendable);
    return {
      json: side === 'input' ? objectRoot(json) : withObjectRoot(json),
      check: (value) => schema['~standard'].validate(value),
    };
  }
  if (!isObject(schema))
    throw new SchemaError(
      'is not a schema. Give a Standard Schema (zod 4, valibot, arktype) or a JSON Schema',
    );
  const json = side === 'input' ? objectRoot(schema) : withObjectRoot(schema);
  let check: CompiledSchema['check'] | undefined;
  return {
    json,
    // Compiled on the first check: loading the compiler takes longer than a server may take to start.
    check: async (value) => {
      check ??= await compileJsonSchema(json);
      return check(value);
    },
  };
}

/** Compile a schema that would otherwise be compiled by its first value. Rejects with a SchemaError. */
export async function verifySchema(schema: Schema): Promise<void> {
  if (isStandardSchema(schema)) return;
  try {
    await compileJsonSchema(schema);
  } catch (thrown) {
    throw new SchemaError(`is not a valid JSON Schema: ${messageOf(thrown)}`);
  }
}

function publish(schema: Schema, side: 'input' | 'output'): JsonSchema {
  if (!isStandardSchema(schema)) return schema;
  const known = jsonSchemaOf(schema, side);
  if (known) return known;
  const { jsonSchema } = schema['~standard'];
  if (!jsonSchema) throw new SchemaError(`has no JSON Schema, which clients need. ${remedyFor(schema)}`);
  // Convert the schema again to get the reason from its library.
  try {
    return jsonSchema[side]({ target: 'draft-2020-12' });
  } catch (thrown) {
    throw new SchemaError(`cannot be written as JSON Schema: ${messageOf(thrown)}`);
  }
}

/** Arguments are an object (MCP 2025-11-25, Tool), which a union of objects doesn't state at its root. */
function objectRoot(json: JsonSchema): JsonSchema {
  if (json.type === undefined) return { ...json, type: 'object' };
  if (json.type === 'object') return json;
  throw new SchemaError(`describes ${JSON.stringify(json.type)}, but arguments are always an object`);
}

/** The schema that a reference leads to, which may be another reference. */
export const resolved = (schema: JsonSchema, root: JsonSchema, depth = 0): JsonSchema =>
  schema.$ref === undefined || depth === MAX_DEPTH
    ? schema
    : resolved(dereference(schema, root), root, depth + 1);

export function takesObjectsOnly(schema: JsonSchema, root: JsonSchema, depth = 0): boolean {
  const { type, properties, anyOf, oneOf, allOf } = resolved(schema, root);
  if (type !== undefined) return type === 'object';
  if (isObject(properties)) return true;
  const takes = (one: JsonSchema): boolean => depth < MAX_DEPTH && takesObjectsOnly(one, root, depth + 1);
  for (const alternatives of [listed(anyOf), listed(oneOf)])
    if (alternatives.length > 0 && alternatives.every(takes)) return true;
  return listed(allOf).some(takes);
}

/**
 * Add `type: 'object'` to the root of a schema that only accepts objects: values of other types are
 * wrapped in an object (MCP 2025-11-25, Tool, outputSchema).
 */
export function withObjectRoot(json: JsonSchema): JsonSchema {
  if (json.type === 'object' || !takesObjectsOnly(json, json)) return json;
  // Definitions stay in the place that references point to.
  const { $ref: _root, ...whole }: JsonSchema = { ...json, ...resolved(json, json) };
  return { ...whole, type: 'object' };
}

/** Arguments that accept no string: clients only send strings (MCP 2025-11-25, GetPromptRequest). */
export async function argumentsWithoutString(schema: Schema, { json }: CompiledSchema): Promise<string[]> {
  const { properties } = json;
  const names = Object.entries(isObject(properties) ? properties : {})
    .filter(([, property]) => !takesString(property, json))
    .map(([name]) => name);
  if (!isStandardSchema(schema)) return names;
  // A schema that converts strings only publishes the result of the conversion.
  const takes = await Promise.all(names.map((name) => converts(schema, name)));
  return names.filter((_name, index) => !takes[index]);
}

/** Whether a part of the schema `root` accepts some string. Ignores other keywords. */
function takesString(schema: unknown, root: JsonSchema, depth = 0): boolean {
  if (!isObject(schema) || depth > MAX_DEPTH) return schema !== false;
  const { $ref, type, enum: values, anyOf, oneOf, allOf } = schema;
  const takes = (part: unknown) => takesString(part, root, depth + 1);
  if (typeof $ref === 'string' && !takes(dereference(schema, root))) return false;
  if (type !== undefined && ![type].flat().includes('string')) return false;
  if (schema.const !== undefined && typeof schema.const !== 'string') return false;
  if (Array.isArray(values) && !values.some((value) => typeof value === 'string')) return false;
  for (const some of [anyOf, oneOf]) if (Array.isArray(some) && !some.some(takes)) return false;
  return !Array.isArray(allOf) || allOf.every(takes);
}

const SAMPLES = ['1', '', 'a', 'true', '2020-01-01', '2020-01-01T00:00:00Z', 'null', '[]', '{}'];

/** Whether the argument accepts any of a few sample strings. */
async function converts(schema: StandardSchema, name: string): Promise<boolean> {
  for (const sample of SAMPLES) {
    const { issues = [] } = await schema['~standard'].validate({ [name]: sample });
    const isWrong = issues.some(({ path: [first] = [] }) =>
      typeof first === 'object' ? first.key === name : first === name,
    );
    if (!isWrong) return true;
  }
  return false;
}
