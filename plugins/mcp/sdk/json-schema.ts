// Knows nothing else of the SDK: what compiles schemas must not bring along what serves them.
import { isObject } from '../../../kernel/index.js';
import { onDemand } from '../../../loader/index.js';
import type { Checked } from '../../http/internal.js';
import type { JsonSchema } from '../definitions/schema-types.js';

const validators = onDemand(() => import('@modelcontextprotocol/server/validators/ajv'));

/** Compile a plain JSON Schema with the validator that comes with the SDK. Rejects where the schema is not valid. */
export async function compileJsonSchema(json: JsonSchema): Promise<(value: unknown) => Checked> {
  const { AjvJsonSchemaValidator } = await validators();
  // One for each: it knows schemas by their $id, and a reload brings another of the same.
  const validate = new AjvJsonSchemaValidator().getValidator(json);
  return (value) => {
    const { valid, errorMessage } = validate(value);
    if (valid) return { value };
    return { issues: [{ message: strangers(json, value) ?? errorMessage ?? 'not valid' }] };
  };
}

/** So many members are named, by a client's words. */
const MAX_NAMED = 3;

/** Which members of a value its schema does not know, where these are what is wrong: the validator does not name them. */
function strangers(json: JsonSchema, value: unknown): string | undefined {
  const { additionalProperties, patternProperties, properties } = json;
  if (additionalProperties !== false || patternProperties !== undefined || !isObject(value)) return undefined;
  const known = Object.keys(isObject(properties) ? properties : {});
  const unknown = Object.keys(value).filter((name) => !known.includes(name));
  if (unknown.length === 0) return undefined;
  const named = (names: readonly string[]) => names.map((name) => JSON.stringify(name)).join(', ');
  return `it takes ${named(known) || 'nothing'}, not ${named(unknown.slice(0, MAX_NAMED))}`;
}
