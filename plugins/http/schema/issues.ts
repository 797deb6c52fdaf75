import type { InputPart } from './definition.js';
import { pathOf, type SchemaIssue } from './standard-schema.js';

/** One mistake of a request, as the response says it. */
export interface InputIssue {
  readonly in: InputPart;
  /** `['author', 0, 'name']` */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The issues of one part of a request. */
export const inputIssues = (part: InputPart, issues: readonly SchemaIssue[]): InputIssue[] =>
  issues.map((issue) => ({ in: part, path: pathOf(issue), message: messageOf(issue) }));

/** The message of an issue, without the value that some libraries repeat: it may be a password, and messages are logged. */
export function messageOf(issue: SchemaIssue): string {
  const { message } = issue;
  // valibot: `Invalid type: Expected number but received "x"`, `Invalid email: Received "x"`
  if ('received' in issue)
    for (const told of [` but received ${issue.received}`, `: Received ${issue.received}`])
      if (message.endsWith(told)) return message.slice(0, -told.length);
  // arktype: `n must be a number (was "x")`, `n ("x") must be...`
  return 'actual' in issue
    ? message.replaceAll(` (was ${issue.actual})`, '').replaceAll(`(${issue.actual}) must be`, 'must be')
    : message;
}

/** The same issue, with that message. */
export const withoutValue = (issue: SchemaIssue): SchemaIssue =>
  issue.path === undefined ? { message: messageOf(issue) } : { message: messageOf(issue), path: issue.path };
