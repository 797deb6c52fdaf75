import { isObject } from '../../../kernel/index.js';
import type { JsonSchema } from '../definitions/schema-types.js';
import { referred } from './schema-reference.js';

/** How far schemas are followed: one may contain itself. */
export const MAX_DEPTH = 8;

/** The schema that a reference leads to, where it is one. */
export function resolved(schema: JsonSchema, root: JsonSchema, depth = 0): JsonSchema {
  const found =
    typeof schema.$ref === 'string' && depth < MAX_DEPTH ? referred(schema.$ref, root) : undefined;
  return isObject(found) ? resolved(found, root, depth + 1) : schema;
}

/** The schemas of a list of alternatives. */
export const listOf = (value: unknown): readonly JsonSchema[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** Whether a schema takes objects, and nothing else. */
export function takesObjectsOnly(schema: JsonSchema, root: JsonSchema, depth = 0): boolean {
  const { type, properties, anyOf, oneOf, allOf } = resolved(schema, root);
  if (type !== undefined) return type === 'object';
  if (isObject(properties)) return true;
  const takes = (one: JsonSchema): boolean => depth < MAX_DEPTH && takesObjectsOnly(one, root, depth + 1);
  for (const alternatives of [listOf(anyOf), listOf(oneOf)])
    if (alternatives.length > 0 && alternatives.every(takes)) return true;
  return listOf(allOf).some(takes);
}

/**
 * The schema with `type: 'object'` at its root, where it takes objects alone: by that clients know what structured content
 * has to be (MCP 2025-11-25, Tool, outputSchema), and what is of another type is sent to them within an object.
 */
export function withObjectRoot(json: JsonSchema): JsonSchema {
  if (json.type === 'object' || !takesObjectsOnly(json, json)) return json;
  // Definitions stay where references lead to.
  const { $ref: _root, ...whole }: JsonSchema = { ...json, ...resolved(json, json) };
  return { ...whole, type: 'object' };
}
