/** The parts of a request that a schema may check, in the order in which they are. */
export const INPUT_PARTS = ['params', 'query', 'headers', 'body'] as const;
export type InputPart = (typeof INPUT_PARTS)[number];

/** A schema of any library (Standard Schema v1, standardschema.dev): checks a value, and may give its JSON Schema. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    /** The library that made it: `zod`, `valibot`, `arktype`. */
    readonly vendor: string;
    readonly validate: (value: unknown) => Checked<Output> | Promise<Checked<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Standard JSON Schema. Both throw for what JSON Schema cannot say. */
    readonly jsonSchema?: {
      readonly input: (options: JsonSchemaOptions) => Record<string, unknown>;
      readonly output: (options: JsonSchemaOptions) => Record<string, unknown>;
    };
  };
}

export interface JsonSchemaOptions {
  readonly target: 'draft-2020-12';
  /** Options that only one library knows. */
  readonly libraryOptions?: Record<string, unknown> | undefined;
}

export type Checked<Output = unknown> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** One mistake that a check found, and where in the value it is. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The type that goes into a schema; `Fallback` where there is none. */
export type In<S, Fallback = unknown> = [S] extends [never]
  ? Fallback
  : S extends StandardSchema
    ? NonNullable<S['~standard']['types']>['input']
    : Fallback;

/** The type that comes out of a schema's check; `Fallback` where there is none. */
export type Out<S, Fallback = unknown> = [S] extends [never]
  ? Fallback
  : S extends StandardSchema
    ? NonNullable<S['~standard']['types']>['output']
    : Fallback;

/** Whether `value` is a schema. Some libraries make schemas that are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if (!isObjectOrFunction(value) || !('~standard' in value)) return false;
  const standard = value['~standard'];
  return isObjectOrFunction(standard) && 'validate' in standard && typeof standard.validate === 'function';
}

const isObjectOrFunction = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';

export const pathOf = ({ path = [] }: SchemaIssue): (string | number)[] =>
  // Not `map`: libraries have lists of their own classes, whose `map` gives another one of those.
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

/** One mistake of a value that a schema has refused. */
export interface Issue {
  /** `['author', 0, 'name']` */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** One mistake of a request, as the response says it. */
export interface InputIssue extends Issue {
  readonly in: InputPart;
}

/** A client can make one in every byte or two of a body: what it gets back must not be many times what it sent. */
const MAX_ISSUES = 100;

/** Of places and messages together, in characters: a key that a client made up is in the place of each issue below it. */
const MAX_LENGTH = 65_536;

/** The first hundred issues of one value, without the value: fewer where they are long, but one at least. */
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

/** The issues of one part of a request, the first hundred of them. */
export const inputIssues = (part: InputPart, issues: readonly SchemaIssue[]): InputIssue[] =>
  plainIssues(issues).map((issue) => ({ in: part, ...issue }));

/** The message of an issue, without the value that some libraries repeat: it may be a password, and messages are logged. */
function messageOf(issue: SchemaIssue): string {
  const { message } = issue;
  // valibot: `Invalid type: Expected number but received "x"`, `Invalid email: Received "x"`
  if ('received' in issue)
    for (const told of [` but received ${issue.received}`, `: Received ${issue.received}`])
      if (message.endsWith(told)) return message.slice(0, -told.length);
  // arktype: `n must be a number (was "x")`, `n ("x") must be...`, `n must be a JSON string (SyntaxError: … "x" is not …)`
  return 'actual' in issue
    ? message
        .replaceAll(` (was ${issue.actual})`, '')
        .replaceAll(`(${issue.actual}) must be`, 'must be')
        .replace(/ \(SyntaxError: .*\)/s, '')
    : message;
}
