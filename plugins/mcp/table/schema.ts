import { type Checked, isStandardSchema, jsonSchemaOf, type StandardSchema } from '../../http/index.js';
import type { JsonSchema, Schema } from '../definitions/schema-types.js';
import { compileJsonSchema } from '../sdk/json-schema.js';
import { withObjectRoot } from './object-root.js';

/** A schema that is ready for use: what is published of it, and how values are checked. */
export interface CompiledSchema {
  readonly json: JsonSchema;
  check(value: unknown): Checked | Promise<Checked>;
}

/** The schema cannot be used. The message completes "its input …". */
export class SchemaError extends Error {}

/**
 * Read a schema. `side` is the end of it that is published: what goes in, or what comes out. Throws a SchemaError for a
 * value that is not a schema, or that has no JSON Schema.
 */
export function compileSchema(schema: Schema, side: 'input' | 'output'): CompiledSchema {
  if (isStandardSchema(schema)) {
    const json = publish(schema, side);
    return {
      json: side === 'input' ? objectRoot(json) : withObjectRoot(json),
      check: (value) => schema['~standard'].validate(value),
    };
  }
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    throw new SchemaError(
      'is not a schema. Give a Standard Schema (zod 4, valibot, arktype) or a JSON Schema',
    );
  const json = side === 'input' ? objectRoot(schema) : withObjectRoot(schema);
  let check: CompiledSchema['check'] | undefined;
  return {
    json,
    // Compiled by the first value: the compiler takes longer to load than a server may take to start.
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
    throw new SchemaError(
      `is not a valid JSON Schema: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    );
  }
}

function publish(schema: Schema, side: 'input' | 'output'): JsonSchema {
  if (!isStandardSchema(schema)) return schema;
  const known = jsonSchemaOf(schema, side);
  if (known) return known;
  const { jsonSchema } = schema['~standard'];
  if (!jsonSchema) throw new SchemaError(`has no JSON Schema, which clients need. ${remedyFor(schema)}`);
  // Asked once more, for what its library says of the reason.
  try {
    return jsonSchema[side]({ target: 'draft-2020-12' });
  } catch (thrown) {
    throw new SchemaError(
      `cannot be written as JSON Schema: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    );
  }
}

/** The cure of a schema whose library cannot tell its JSON Schema: a sentence, or one that goes on `within` another. */
export function remedyFor({ '~standard': { vendor } }: StandardSchema, place?: 'within'): string {
  const remedy = REMEDY.get(vendor) ?? `Use a version of ${vendor} that implements Standard JSON Schema`;
  return place === 'within' ? remedy.charAt(0).toLowerCase() + remedy.slice(1) : remedy;
}

const REMEDY: ReadonlyMap<string, string> = new Map([
  ['zod', 'Use zod 4.2 or newer'],
  ['valibot', 'Wrap it in toStandardJsonSchema() of @valibot/to-json-schema'],
]);

/** Arguments are always an object (MCP 2025-11-25, Tool). A union of objects does not say so by itself. */
function objectRoot(json: JsonSchema): JsonSchema {
  if (json.type === undefined) return { ...json, type: 'object' };
  if (json.type === 'object') return json;
  throw new SchemaError(`describes ${JSON.stringify(json.type)}, but arguments are always an object`);
}
