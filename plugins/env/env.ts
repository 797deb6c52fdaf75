import { isObject, isThenable } from '../../kernel/index.js';
import { addSecretValue } from '../../scope/index.js';
import {
  DefinitionError,
  isStandardSchema,
  jsonSchemaOf,
  type Out,
  pathOf,
  remedyFor,
  type SchemaIssue,
  type StandardSchema,
  shapeOf,
  textConversion,
} from '../http/internal.js';

/** A variable of an `env.ts`. */
export interface Variable {
  readonly name: string;
  readonly isSecret: boolean;
}

/** The variables of each result of `env()`. */
const known = new WeakMap<object, readonly Variable[]>();

/** The variables of a result of `env()`; undefined for anything else. */
export const variablesOfResult = (value: unknown): readonly Variable[] | undefined =>
  isObject(value) ? known.get(value) : undefined;

let isLenient = false;

/** While a project is only built or listed, the variables of the machine that will run it are unknown. */
export function allowInvalidValues(isAllowed: boolean): void {
  isLenient = isAllowed;
}

/** Schemas that `secret` has marked and no `env` has found yet. */
const marked = new Set<unknown>();

/**
 * Mark the schema of a variable whose value must not be seen. The value is replaced by `[redacted]` in log lines, in the dev page and
 * in error pages, if it has at least six characters. Returns the schema.
 */
export function secret<Schema extends StandardSchema>(schema: Schema): Schema {
  marked.add(schema);
  return schema;
}

/**
 * Check the environment variables with a schema of an object: `env(z.object({ DATABASE_URL: z.url(), PORT: z.number().default(3000) }))`.
 * Values are converted to the numbers and booleans that the schema expects, and an empty value counts as missing. Returns the
 * checked values, frozen. Export the result from `env.ts`. Throws a TypeError that names all missing and invalid variables,
 * never their values.
 */
export function env<Schema extends StandardSchema<unknown, object>>(schema: Schema): Readonly<Out<Schema>> {
  if (!isStandardSchema(schema))
    throw new DefinitionError('env() needs a schema of an object: env(z.object({ … })).', 'FWK217');
  const variables = variablesOf(schema);
  const given = Object.fromEntries(
    variables.flatMap(({ name }) => (process.env[name] ? [[name, process.env[name]]] : [])),
  );
  for (const { name, isSecret } of variables) if (isSecret) addSecretValue(process.env[name] ?? '');
  const values: Record<string, unknown> = { ...given };
  textConversion(schema)?.(values);
  const checked = schema['~standard'].validate(values);
  if (isThenable(checked)) {
    void Promise.resolve(checked).catch(() => {});
    throw new DefinitionError('env() needs a schema without asynchronous checks.', 'FWK217');
  }
  if (checked.issues && !isLenient) throw new DefinitionError(describe(checked.issues, given), 'FWK217');
  const result = { ...(checked.issues ? values : checked.value) };
  known.set(result, variables);
  return Object.freeze(result) as Readonly<Out<Schema>>;
}

function variablesOf(schema: StandardSchema): readonly Variable[] {
  const json = jsonSchemaOf(schema, 'input');
  if (json === undefined) throw new DefinitionError(`env() needs the names. ${remedyFor(schema)}.`, 'FWK217');
  const { named } = shapeOf(json);
  const members = membersOf(schema);
  const variables = [...named.keys()].map((name) => ({
    name,
    isSecret: marked.delete(members[name]),
  }));
  if (marked.size === 0) return variables;
  marked.clear();
  throw new DefinitionError(
    'secret() marks a schema that is not the whole schema of a variable. Write secret() outermost: KEY: secret(z.string().optional()).',
    'FWK217',
  );
}

/** The schemas of the members, where zod and valibot keep them. */
function membersOf(schema: object): Readonly<Record<string, unknown>> {
  const { shape, entries } = schema as { readonly shape?: unknown; readonly entries?: unknown };
  return [shape, entries].find(isObject) ?? {};
}

/** One sentence about all variables. Some libraries repeat the value in their message, so it is removed. */
function describe(
  issues: readonly SchemaIssue[],
  given: Readonly<Record<string, string | undefined>>,
): string {
  const missing = new Set<string>();
  const invalid = issues.flatMap((issue) => {
    const [name] = pathOf(issue);
    const value = given[String(name)];
    if (name !== undefined && value === undefined) {
      missing.add(String(name));
      return [];
    }
    const message = [value, ...Object.values(given)].reduce<string>(
      (text, one) => (one ? text.replaceAll(one, '…') : text),
      issue.message.replace(/\.$/, ''),
    );
    return [name === undefined ? message : `${name} is invalid (${message})`];
  });
  const absent =
    missing.size === 0 ? [] : [`${[...missing].join(', ')} ${missing.size > 1 ? 'are' : 'is'} missing`];
  return `The environment does not match the schema: ${[...absent, ...invalid].join('; ')}. Set the variables in .env, or in the environment of the process.`;
}
