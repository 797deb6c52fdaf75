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

/** The first hundred issues of one value, without the value. */
export const plainIssues = (issues: readonly SchemaIssue[]): Issue[] =>
  issues.slice(0, MAX_ISSUES).map((issue) => ({ path: pathOf(issue), message: messageOf(issue) }));

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
  // arktype: `n must be a number (was "x")`, `n ("x") must be...`
  return 'actual' in issue
    ? message.replaceAll(` (was ${issue.actual})`, '').replaceAll(`(${issue.actual}) must be`, 'must be')
    : message;
}

/** The same issue, with that message. */
export const withoutValue = (issue: SchemaIssue): SchemaIssue =>
  issue.path === undefined ? { message: messageOf(issue) } : { message: messageOf(issue), path: issue.path };
