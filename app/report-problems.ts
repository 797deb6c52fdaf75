import { type BootError, describeWithCode, type Problem, readMore } from '../kernel/internal.js';

/** The problems of an app, one per line. */
export const describeProblems = ({ problems }: BootError): string => problems.map(withFrame).join('\n');

/** Say on stderr what keeps an app from serving, and where to read on. */
export function reportProblems(error: BootError): void {
  for (const line of [...error.problems.map(withFrame), ...readMore(error.problems)]) console.error(line);
}

/** The frames of a plugin that failed belong below; the text around a mistake is for a terminal. */
const withFrame = (problem: Problem): string =>
  [describeWithCode(problem), problem.file === undefined ? problem.excerpt : undefined]
    .filter(Boolean)
    .join('\n');
