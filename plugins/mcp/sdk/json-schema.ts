// Imports nothing else of the SDK: compiling schemas must not load the server code.
import { isObject } from '../../../kernel/index.js';
import { onDemand } from '../../../loader/index.js';
import type { Checked } from '../../http/internal.js';
import type { JsonSchema } from '../definitions/schema-types.js';

const validators = onDemand(() => import('@modelcontextprotocol/server/validators/ajv'));

/** Compile a plain JSON Schema with the SDK's validator. Rejects if the schema is invalid. */
export async function compileJsonSchema(json: JsonSchema): Promise<(value: unknown) => Checked> {
  const { AjvJsonSchemaValidator } = await validators();
  // A validator for each: it remembers schemas by $id, and a reload compiles the same $id again.
  const validate = new AjvJsonSchemaValidator().getValidator(json);
  return (value) => {
    const { valid, errorMessage } = validate(value);
    if (valid) return { value };
    return { issues: [{ message: strangers(json, value) ?? errorMessage ?? 'not valid' }] };
  };
}

/** The maximum number of unknown members, which the client names, in a message. */
const MAX_NAMED = 3;

/** The members that a schema doesn't allow, if they are the problem: the validator names none. */
function strangers(json: JsonSchema, value: unknown): string | undefined {
  const { additionalProperties, patternProperties, properties } = json;
  if (additionalProperties !== false || patternProperties !== undefined || !isObject(value)) return undefined;
  const known = Object.keys(isObject(properties) ? properties : {});
  const unknown = Object.keys(value).filter((name) => !known.includes(name));
  if (unknown.length === 0) return undefined;
  const named = (names: readonly string[]) => names.map((name) => JSON.stringify(name)).join(', ');
  return `it accepts ${named(known) || 'nothing'}, not ${named(unknown.slice(0, MAX_NAMED))}`;
}
