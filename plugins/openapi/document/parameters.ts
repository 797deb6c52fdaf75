import { isThenable } from '../../../kernel/index.js';
import type { JsonSchema, StandardSchema } from '../../http/index.js';
import type { Components } from './components.js';
import { type Field, fieldsOf } from './fields.js';
import type { PathTemplate } from './paths.js';

interface Parameter extends JsonSchema {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
}

/** Headers that OpenAPI describes elsewhere: parameters of these names are ignored (3.1 §4.8.12). */
const DESCRIBED_ELSEWHERE: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization']);

const REST_NOTE = 'The rest of the path: one segment or more.';

function parameter(place: Parameter['in'], { name, required, schema }: Field): Parameter {
  const { description, deprecated, ...rest } = schema;
  return {
    name,
    in: place,
    ...(required ? { required } : {}),
    ...(description === undefined ? {} : { description }),
    ...(deprecated === true ? { deprecated } : {}),
    schema: rest,
  };
}

/**
 * The parameters of the path, by the names of the template: `own` are those of the file, in the same order, which are others where two
 * files of one path call them differently.
 */
export function pathParameters(
  { names, isCatchAll }: PathTemplate,
  own: readonly string[],
  schema: JsonSchema | undefined,
  components: Components,
): Parameter[] {
  const fields = schema ? fieldsOf(schema, components).named : [];
  return names.map((name, index) => {
    const known = fields.find((field) => field.name === own[index])?.schema ?? { type: 'string' };
    const isRest = isCatchAll && index === names.length - 1;
    const made = parameter('path', {
      name,
      required: true,
      schema: isRest ? { description: REST_NOTE, ...known } : known,
    });
    return isRest ? { ...made, 'x-catch-all': true } : made;
  });
}

export function queryParameters(schema: JsonSchema, components: Components): Parameter[] {
  const { named, others } = fieldsOf(schema, components);
  const parameters = named.map((field) => parameter('query', field));
  if (!others) return parameters;
  // An object in the style `form` is one parameter for each of its properties, whatever it is called itself.
  const rest = { name: 'others', required: false, schema: { type: 'object', additionalProperties: others } };
  return [...parameters, { ...parameter('query', rest), style: 'form', explode: true }];
}

export const headerParameters = (schema: JsonSchema, components: Components): Parameter[] =>
  fieldsOf(schema, components)
    .named.filter(({ name }) => !DESCRIBED_ELSEWHERE.has(name.toLowerCase()))
    .map((field) => parameter('header', field));

/** Whether a request without a body fits. */
export function isOptional(schema: StandardSchema): boolean {
  try {
    const checked = schema['~standard'].validate(undefined);
    if (!isThenable(checked)) return checked.issues === undefined;
    // It answers too late.
    Promise.resolve(checked).catch(() => {});
  } catch {
    // It cannot say.
  }
  return false;
}
