import { isThenable } from '../../../kernel/index.js';
import type { Checked, StandardSchema } from './standard-schema.js';

/** What `read` makes of the check of `value`; a promise of it where the schema checks asynchronously. */
export function checkedBy<Read>(
  schema: StandardSchema,
  value: unknown,
  read: (checked: Checked) => Read,
): Read | Promise<Read> {
  const checked = schema['~standard'].validate(value);
  return isThenable(checked) ? Promise.resolve(checked).then(read) : read(checked);
}
