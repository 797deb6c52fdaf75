import type { Answer, Sent } from '../harness/http.js';
import type { Files, Project } from '../harness/project.js';
import type { Visitor } from '../harness/visitor.js';

/** Something that people ask an assistant to do in the project of `base.ts`, and how one sees whether it is done. */
export interface Task {
  /** What the assistant is told: what has to hold from outside, never how. */
  readonly ask: string;
  /** What the project has for it, beside the base. */
  readonly given?: Files;
  /** One right answer: the check holds with it, and fails without. */
  readonly solution: Files;
  /** Throws where something does not hold. The project compiles, and `fwk dev` serves it. */
  readonly check: (attempt: Attempt) => Promise<void>;
}

/** A project with somebody's answer, while it is served. */
export interface Attempt {
  readonly project: Project;
  readonly url: string;
  /** Sends the path exactly as written. */
  ask(path: string, sent?: Sent): Promise<Answer>;
  /** Sends a value as JSON. */
  send(path: string, value: unknown, method?: string): Promise<Answer>;
  /** A browser with cookies of its own. */
  visitor(): Visitor;
  /** End the server, as a deploy does. */
  stop(): Promise<void>;
}

/** What Visitor takes to send a value as JSON. */
export const json = (value: unknown, method = 'POST'): Sent => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});
