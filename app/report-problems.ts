import { type BootError, describeProblem, hasPage, type Problem, type ProblemCode } from '../kernel/index.js';

export const describeProblems = ({ problems }: BootError): string => problems.map(withFrame).join('\n');

export function reportProblems(error: BootError): void {
  for (const line of [...error.problems.map(withFrame), ...readMore(error.problems)]) console.error(line);
}

/** The frames of a failed plugin belong below the message; the source excerpt is only for a terminal. */
const withFrame = (problem: Problem): string =>
  [describeWithCode(problem), problem.file === undefined ? problem.excerpt : undefined]
    .filter(Boolean)
    .join('\n');

export const describeWithCode = (problem: Problem): string =>
  [problem.code, describeProblem(problem)].filter((part) => part !== undefined).join(' ');

/** A line that links to the docs, for below the report of `problems`; none if no code has a page of fwkit. */
export function readMore(problems: readonly { readonly code?: ProblemCode | undefined }[]): string[] {
  const codes = new Set(problems.map(({ code }) => code).filter(hasPage));
  const [first] = codes;
  if (first === undefined) return [];
  return [`Read more: npx fwk docs ${first}${codes.size > 1 ? ', or any other code above' : ''}`];
}
