/** The parts of a request that schemas can check, in the order of the checks. */
export const INPUT_PARTS = ['params', 'query', 'headers', 'body'] as const;
export type InputPart = (typeof INPUT_PARTS)[number];

/** A schema of any library that implements Standard Schema v1 (standardschema.dev): checks a value, and may provide its JSON Schema. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    /** The library of the schema: `zod`, `valibot`, `arktype`. */
    readonly vendor: string;
    readonly validate: (value: unknown) => Checked<Output> | Promise<Checked<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Standard JSON Schema. Both functions throw if JSON Schema can't represent the schema. */
    readonly jsonSchema?: {
      readonly input: (options: JsonSchemaOptions) => Record<string, unknown>;
      readonly output: (options: JsonSchemaOptions) => Record<string, unknown>;
    };
  };
}

export interface JsonSchemaOptions {
  readonly target: 'draft-2020-12';
  /** Options for a specific library. */
  readonly libraryOptions?: Record<string, unknown> | undefined;
}

export type Checked<Output = unknown> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** A mistake that a check found, and its path in the value. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The input type of a schema; `Fallback` if there is no schema. */
export type In<S, Fallback = unknown> = [S] extends [never]
  ? Fallback
  : S extends StandardSchema
    ? NonNullable<S['~standard']['types']>['input']
    : Fallback;

/** The output type of a schema; `Fallback` if there is no schema. */
export type Out<S, Fallback = unknown> = [S] extends [never]
  ? Fallback
  : S extends StandardSchema
    ? NonNullable<S['~standard']['types']>['output']
    : Fallback;

/** Whether `value` is a schema. In some libraries, schemas are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if (!isObjectOrFunction(value) || !('~standard' in value)) return false;
  const standard = value['~standard'];
  return isObjectOrFunction(standard) && 'validate' in standard && typeof standard.validate === 'function';
}

const isObjectOrFunction = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';

export const pathOf = ({ path = [] }: SchemaIssue): (string | number)[] =>
  // Not `map`: some libraries use an array subclass, whose `map` returns the subclass again.
  Array.from(path, (part) => {
    const key = typeof part === 'object' ? part.key : part;
    return typeof key === 'number' ? key : String(key);
  });

/** `author.name: must be a string; year: …` */
export const describeIssues = (issues: readonly SchemaIssue[]): string =>
  issues
    .map((issue) => {
      const place = pathOf(issue).join('.');
      return place === '' ? issue.message : `${place}: ${issue.message}`;
    })
    .join('; ');

/** One mistake in a value that a schema rejected. */
export interface Issue {
  /** `['author', 0, 'name']` */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** One mistake in a request, as sent in the response. */
export interface InputIssue extends Issue {
  readonly in: InputPart;
}

/** A limit, because a client could cause an issue with every byte or two of a body, and the response must not be many times larger. */
const MAX_ISSUES = 100;

/** The limit for all paths and messages, in characters: a client's long key is in many of the paths. */
const MAX_LENGTH = 65_536;

/** Return the first hundred issues of a value, without the value itself. Fewer if they are long, but at least one. */
export function plainIssues(issues: readonly SchemaIssue[]): Issue[] {
  const plain: Issue[] = [];
  let length = 0;
  for (const issue of issues) {
    const path = pathOf(issue);
    const message = messageOf(issue);
    for (const key of path) length += typeof key === 'string' ? key.length : 1;
    length += message.length;
    if (plain.length === MAX_ISSUES || (plain.length > 0 && length > MAX_LENGTH)) break;
    plain.push({ path, message });
  }
  return plain;
}

/** The first hundred issues of one part of a request. */
export const inputIssues = (part: InputPart, issues: readonly SchemaIssue[]): InputIssue[] =>
  plainIssues(issues).map((issue) => ({ in: part, ...issue }));

/** The message of an issue without the value that some libraries include, which may be a password and would be logged. */
function messageOf(issue: SchemaIssue): string {
  const { message } = issue;
  // valibot: `Invalid type: Expected number but received "x"`, `Invalid email: Received "x"`
  if ('received' in issue)
    for (const suffix of [` but received ${issue.received}`, `: Received ${issue.received}`])
      if (message.endsWith(suffix)) return message.slice(0, -suffix.length);
  // arktype: `n must be a number (was "x")`, `n ("x") must be...`, `n must be a JSON string (SyntaxError: … "x" is not …)`
  return 'actual' in issue
    ? message
        .replaceAll(` (was ${issue.actual})`, '')
        .replaceAll(`(${issue.actual}) must be`, 'must be')
        .replace(/ \(SyntaxError: .*\)/s, '')
    : message;
}
