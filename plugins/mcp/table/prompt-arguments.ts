import { isObject } from '../../../kernel/index.js';
import { isStandardSchema, type StandardSchema } from '../../http/index.js';
import type { JsonSchema, Schema } from '../definitions/schema-types.js';
import type { CompiledSchema } from './schema.js';
import { referred } from './schema-reference.js';

/** The names of arguments that take no string, though clients send nothing else (MCP 2025-11-25, GetPromptRequest). */
export async function argumentsWithoutString(schema: Schema, { json }: CompiledSchema): Promise<string[]> {
  const { properties } = json;
  const names = Object.entries(isObject(properties) ? properties : {})
    .filter(([, property]) => !takesString(property, json))
    .map(([name]) => name);
  if (!isStandardSchema(schema)) return names;
  // A schema that converts strings publishes only their result.
  const takes = await Promise.all(names.map((name) => converts(schema, name)));
  return names.filter((_name, index) => !takes[index]);
}

/** How far references are followed: a schema may refer to itself. */
const MAX_SCHEMA_DEPTH = 8;

/** Whether a part of the schema `root` allows any string. Other keywords are not looked at. */
function takesString(schema: unknown, root: JsonSchema, depth = 0): boolean {
  if (!isObject(schema) || depth > MAX_SCHEMA_DEPTH) return schema !== false;
  const { $ref, type, enum: values, anyOf, oneOf, allOf } = schema;
  const takes = (part: unknown) => takesString(part, root, depth + 1);
  if (typeof $ref === 'string' && !takes(referred($ref, root))) return false;
  if (type !== undefined && ![type].flat().includes('string')) return false;
  if (schema.const !== undefined && typeof schema.const !== 'string') return false;
  if (Array.isArray(values) && !values.some((value) => typeof value === 'string')) return false;
  for (const some of [anyOf, oneOf]) if (Array.isArray(some) && !some.some(takes)) return false;
  return !Array.isArray(allOf) || allOf.every(takes);
}

const SAMPLES = ['1', '', 'a', 'true', '2020-01-01', '2020-01-01T00:00:00Z', 'null', '[]', '{}'];

/** Whether the argument may be one of some strings. */
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
