import { isObject } from '../../../kernel/index.js';
import { withReferences } from '../../http/index.js';
import type { JsonSchema } from '../definitions/schema-types.js';
import { listOf, MAX_DEPTH, resolved } from '../table/object-root.js';

/** The properties of the objects that a schema takes, those of all alternatives. */
export function propertiesOf(schema: JsonSchema, root: JsonSchema, depth = 0): Map<string, unknown> {
  const { properties, anyOf, oneOf, allOf } = resolved(schema, root);
  const own = new Map(isObject(properties) ? Object.entries(properties) : []);
  if (depth < MAX_DEPTH)
    for (const inner of [...listOf(anyOf), ...listOf(oneOf), ...listOf(allOf)])
      for (const [name, property] of propertiesOf(inner, root, depth + 1))
        if (!own.has(name)) own.set(name, property);
  return own;
}

export const requiredOf = ({ required }: JsonSchema): readonly string[] =>
  Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];

/** A schema of which other objects are a part, too: no property is forbidden, and how many there are does not matter. */
function opened(schema: JsonSchema, root: JsonSchema, depth = 0): JsonSchema {
  const { properties, required, anyOf, oneOf, allOf } = resolved(schema, root);
  const inner = (list: unknown) => listOf(list).map((one) => opened(one, root, depth + 1));
  return {
    ...(properties === undefined ? {} : { properties }),
    ...(required === undefined ? {} : { required }),
    ...(depth < MAX_DEPTH && anyOf !== undefined ? { anyOf: inner(anyOf) } : {}),
    // Without what is forbidden, more than one may hold.
    ...(depth < MAX_DEPTH && oneOf !== undefined ? { anyOf: inner(oneOf) } : {}),
    ...(depth < MAX_DEPTH && allOf !== undefined ? { allOf: inner(allOf) } : {}),
  };
}

/** What a schema says of its objects beside their properties: which go together. Undefined where that is nothing. */
export function combinationsOf(schema: JsonSchema, root: JsonSchema): JsonSchema | undefined {
  const { properties: _properties, required: _required, ...more } = opened(schema, root);
  return Object.keys(more).length > 0 ? more : undefined;
}

/** A schema whose references into its own root lead to where that is put: `#/$defs/body` in place of `#`. */
export const moved = (schema: JsonSchema, place: string): Record<string, unknown> =>
  withReferences(schema, (ref) => (ref.startsWith('#') ? place + ref.slice(1) : ref));

/** Whether a schema has references into its own root. */
export const refersToItself = (json: JsonSchema): boolean => /"\$ref":"#/.test(JSON.stringify(json));
