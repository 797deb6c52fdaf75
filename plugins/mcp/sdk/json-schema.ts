// Knows nothing else of the SDK: what compiles schemas must not bring along what serves them.
import { onDemand } from '../../../kernel/index.js';
import type { Checked } from '../../http/index.js';
import type { JsonSchema } from '../definitions/schema-types.js';

const validators = onDemand(() => import('@modelcontextprotocol/server/validators/ajv'));

/** Compile a plain JSON Schema with the validator that comes with the SDK. Rejects where the schema is not valid. */
export async function compileJsonSchema(json: JsonSchema): Promise<(value: unknown) => Checked> {
  const { AjvJsonSchemaValidator } = await validators();
  // One for each: it knows schemas by their $id, and a reload brings another of the same.
  const validate = new AjvJsonSchemaValidator().getValidator(json);
  return (value) => {
    const { valid, errorMessage } = validate(value);
    return valid ? { value } : { issues: [{ message: errorMessage ?? 'not valid' }] };
  };
}
