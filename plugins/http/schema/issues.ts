import type { InputPart } from './definition.js';
import { pathOf, type SchemaIssue } from './standard-schema.js';

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
export function messageOf(issue: SchemaIssue): string {
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
