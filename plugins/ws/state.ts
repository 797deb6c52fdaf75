import { isObject, messageOf } from '../../kernel/index.js';
import { DefinitionError, type StandardSchema } from '../http/index.js';
import { describeIssues } from '../http/internal.js';

/** The longest state of a connection, as JSON, in characters. */
const MAX_STATE_LENGTH = 1_048_576;

/** A schema or a state that keeps a connection from continuing. The message completes a sentence about the route. */
export class StateError extends Error {}

/** The state of a connection, from the JSON of an earlier state; by default of a new connection. Throws StateError if the schema rejects it. */
export function stateOf(schema: StandardSchema, text = '{}'): object {
  const checked = schema['~standard'].validate(JSON.parse(text));
  if ('then' in checked) throw new StateError('must be synchronous');
  if (checked.issues) throw new StateError(describeIssues(checked.issues.slice(0, 1)));
  if (!isObject(checked.value)) throw new StateError('must be an object');
  return checked.value;
}

/** The JSON of a state. Throws StateError if it has none, or if it is too long. */
export function stateText(state: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(state) ?? 'null';
  } catch (thrown) {
    throw new StateError(`cannot be represented as JSON: ${messageOf(thrown)}`);
  }
  if (text.length > MAX_STATE_LENGTH) throw new StateError('is longer than 1 MiB');
  return text;
}

/** Throws DefinitionError unless the schema accepts the state of a new connection, and the JSON of that state. */
export function checkStateSchema(schema: StandardSchema): void {
  let text = '{}';
  try {
    text = stateText(stateOf(schema));
    stateOf(schema, text);
  } catch (thrown) {
    if (!(thrown instanceof StateError)) throw thrown;
    throw new DefinitionError(
      `the "state" of ws() must accept ${text}, the state of a new connection: ${thrown.message}. Give each field a default that JSON can represent.`,
      'FWK401',
    );
  }
}
