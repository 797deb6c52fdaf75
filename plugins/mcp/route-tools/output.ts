import { type AnyDefinition, isStandardSchema, jsonSchemaOf, type StandardSchema } from '../../http/index.js';
import type { JsonSchema } from '../definitions/schema-types.js';
import { takesObjectsOnly, withObjectRoot } from '../table/object-root.js';
import { remedyFor } from '../table/schema.js';

/**
 * The JSON Schema of what a route answers, where that is one kind of object (MCP 2025-11-25, Tool, outputSchema); undefined
 * where it may be anything else, which becomes text.
 */
export function routeOutput(
  { response }: AnyDefinition,
  report: (mistake: string) => void,
): JsonSchema | undefined {
  const schema = onlyOne(response);
  if (!schema) return undefined;
  const json = jsonSchemaOf(schema, 'output');
  if (!json)
    report(`and its response schema has no JSON Schema, which clients need: ${remedyFor(schema, 'within')}`);
  if (!json || !takesObjectsOnly(json, json)) return undefined;
  const { $schema: _dialect, ...whole } = withObjectRoot(json);
  return whole;
}

/** The schema of all successes: none where there are several statuses, or one without a body. */
function onlyOne(response: AnyDefinition['response']): StandardSchema | undefined {
  if (response === undefined || isStandardSchema(response)) return response;
  const schemas = Object.values(response);
  return schemas.length === 1 ? (schemas[0] ?? undefined) : undefined;
}
