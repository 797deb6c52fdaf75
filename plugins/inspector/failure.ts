import { BootError, messageOf, type Problem, type Project } from '../../kernel/index.js';
import { explain, type Trace } from '../../loader/index.js';
import { maskText } from './masking.js';

export interface Failure {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** What failed: `GET /api/users/7`, `WS /ws/echo`, `reload`. */
  readonly where: string;
  readonly traces: readonly ShownTrace[];
  /** The error code, if there is one. */
  readonly code?: string;
}

type ShownTrace = Pick<Trace, 'headline' | 'frames' | 'excerpt'>;

const MAX_FRAMES = 30;
const MAX_CAUSES = 4;
const MAX_HEADLINE = 4_000;

/** Describe a thrown value, with its source. `project`: undefined before the first version serves. */
export function failure(thrown: unknown, where: string, project: Project | undefined): Failure {
  const at = Date.now();
  if (!project)
    return { at, where, traces: [shownTrace({ headline: messageOf(thrown) })], ...codeOf(thrown) };
  const { traces } = explain(thrown, project.root);
  return { at, where, traces: traces.slice(0, MAX_CAUSES).map(shownTrace), ...codeOf(thrown) };
}

const shownTrace = ({
  headline,
  excerpt,
  frames = [],
}: Partial<ShownTrace> & Pick<ShownTrace, 'headline'>): ShownTrace => ({
  headline: headlineOf(headline),
  excerpt,
  frames: frames.slice(0, MAX_FRAMES),
});

export const placeOf = ({ file, line, column }: NonNullable<Trace['excerpt']>): string =>
  `${file}:${line}:${column}`;

const headlineOf = (text: string): string => maskText(text.slice(0, 2 * MAX_HEADLINE)).slice(0, MAX_HEADLINE);

export function problemsOf(thrown: unknown, project: Project | undefined): ShownProblem[] {
  if (thrown instanceof BootError) return thrown.problems.map(shownProblem);
  const [first] = failure(thrown, 'reload', project).traces;
  if (!first) return [];
  const { headline, excerpt } = first;
  const rows = excerpt?.rows.map(({ number, text }) => `${number} | ${text}`).join('\n');
  return [{ message: headline, ...(excerpt ? { file: placeOf(excerpt), excerpt: rows } : {}) }];
}

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
