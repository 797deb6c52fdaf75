import { isObject } from '../../../kernel/index.js';
import type { JsonSchema } from '../../http/index.js';
import type { Components } from './components.js';
import { objectsIn } from './json-value.js';

/** A property of an object. */
export interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

export interface Fields {
  readonly named: readonly Field[];
  /** The schema of properties of any other name, where there may be such. */
  readonly others: JsonSchema | undefined;
}

interface Found {
  readonly schemas: Map<string, JsonSchema[]>;
  readonly required: ReadonlySet<string>;
  readonly others: JsonSchema | undefined;
}

const NOTHING: Found = { schemas: new Map(), required: new Set(), others: undefined };

/** Schemas may contain themselves. */
const MAX_DEPTH = 8;

/** The properties of an object, those of all its alternatives. */
export function fieldsOf(schema: JsonSchema, components: Components): Fields {
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
  const { properties, required, additionalProperties, allOf, anyOf, oneOf } = components.dereferenced(schema);
  const inside = (list: unknown): Found[] => objectsIn(list).map((one) => visit(one, components, depth + 1));
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

/** What every alternative requires. */
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
