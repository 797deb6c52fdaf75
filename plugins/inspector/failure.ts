import { BootError, messageOf, type Problem, type Project } from '../../kernel/index.js';
import { explain } from '../../loader/index.js';
import { maskedText } from './masking.js';

/** One error, for people and assistants. */
export interface Failure {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** What failed: `GET /api/users/7`, `WS /ws/echo`, `reload`. */
  readonly where: string;
  /** The error, and then its causes. */
  readonly traces: readonly Told[];
  /** The code of the mistake, where it has one. */
  readonly code?: string;
}

interface Told {
  readonly headline: string;
  /** Lines around the place in the project's source, as it was when it ran. */
  readonly source?: Source;
  /** Innermost first. */
  readonly stack: readonly { readonly text: string; readonly origin: string }[];
}

interface Source {
  /** `src/api/users.get.ts:3:9` */
  readonly place: string;
  /** 1-based. */
  readonly line: number;
  readonly rows: readonly { readonly number: number; readonly text: string }[];
}

const MAX_FRAMES = 30;
const MAX_CAUSES = 4;
const MAX_HEADLINE = 4_000;

/** What was thrown, with its source. `project`: undefined before any version serves. */
export function failure(thrown: unknown, where: string, project: Project | undefined): Failure {
  const at = Date.now();
  const told = project ? explain(thrown, project.root).traces.slice(0, MAX_CAUSES) : [];
  if (told.length === 0)
    return { at, where, traces: [{ headline: headlineOf(messageOf(thrown)), stack: [] }] };
  const traces = told.map(({ headline, excerpt, frames }) => ({
    headline: headlineOf(headline),
    stack: frames.slice(0, MAX_FRAMES),
    ...(excerpt
      ? {
          source: {
            place: `${excerpt.file}:${excerpt.line}:${excerpt.column}`,
            line: excerpt.line,
            rows: excerpt.rows,
          },
        }
      : {}),
  }));
  return { at, where, traces, ...codeOf(thrown) };
}

const headlineOf = (text: string): string =>
  maskedText(text.slice(0, 2 * MAX_HEADLINE)).slice(0, MAX_HEADLINE);

/** The problems that keep a version from being served. */
export function problemsOf(thrown: unknown, project: Project | undefined): ShownProblem[] {
  if (thrown instanceof BootError) return thrown.problems.map(shownProblem);
  const [first] = failure(thrown, 'reload', project).traces;
  if (!first) return [];
  const { headline, source } = first;
  const rows = source?.rows.map(({ number, text }) => `${number} | ${text}`).join('\n');
  return [{ message: headline, ...(source ? { file: source.place, excerpt: rows } : {}) }];
}

/** A mistake of the project. */
export interface ShownProblem {
  readonly file?: string | undefined;
  readonly message: string;
  readonly excerpt?: string | undefined;
  readonly code?: string;
}

const shownProblem = (problem: Problem): ShownProblem => {
  const { file, line, message, excerpt } = problem;
  const place = file !== undefined && line !== undefined ? `${file}:${line}` : file;
  return { ...(place === undefined ? {} : { file: place }), message, excerpt, ...codeOf(problem) };
};

/** An error code that `fwk docs` explains. */
function codeOf(thrown: unknown): { readonly code?: string } {
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined;
  return typeof code === 'string' && /^FWK\d{3,4}$/.test(code) ? { code } : {};
}
