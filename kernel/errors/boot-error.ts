import { hasPage } from './coded.js';
import type { ProblemCode } from './codes.js';

/** One thing to fix: where it is, what is wrong and what to do, as one or two plain sentences. */
export interface Problem {
  /** Path relative to the project root, or undefined where no file is to blame. */
  readonly file?: string | undefined;
  /** 1-based line in `file`. */
  readonly line?: number | undefined;
  readonly message: string;
  /** Which kind of mistake it is: `npx fwk docs FWK103` explains one of fwkit. A plugin has its own, such as `ACME-12`. */
  readonly code: ProblemCode;
  /** What is shown below the message: the lines of `file` around a mistake in its text; of a failed plugin, the stack frames of its code. */
  readonly excerpt?: string | undefined;
}

/** A problem in one sentence, which names its file. */
export interface Notice {
  readonly message: string;
  readonly code?: ProblemCode | undefined;
}

/** The project cannot start. Carries every problem found in one run; made for people, shown without a stack. */
export class BootError extends Error {
  override readonly name: string = 'BootError';
  readonly problems: readonly Problem[];

  constructor(problems: Problem | readonly Problem[]) {
    const list = [problems].flat();
    super(list.map(describeProblem).join('\n'));
    this.problems = list;
  }

  /** The code of the first problem. */
  get code(): ProblemCode | undefined {
    return this.problems[0]?.code;
  }
}

/** A wrong key or value in `fwk.config`, or in the options that override it. */
export class ConfigError extends BootError {
  override readonly name = 'ConfigError';
}

/** A package that the project needs is not there. It says so once, however many files need it. */
export class MissingPackage extends BootError {
  override readonly name = 'MissingPackage';

  constructor(message: string) {
    super({ message, code: 'FWK611' });
  }
}

/** `src/api/users.get.ts:3: does not parse …`, without the code. */
export function describeProblem({ file, line, message }: Problem): string {
  if (file === undefined) return message;
  return line === undefined ? `${file}: ${message}` : `${file}:${line}: ${message}`;
}

/** `FWK103 src/api/users.get.ts:3: …`: with the code, where it has one. */
export const describeWithCode = (problem: Problem): string =>
  [problem.code, describeProblem(problem)].filter((part) => part !== undefined).join(' ');

/** A line that says where people read on, for below what is `told`; none where no code has a page of fwkit. */
export function readMore(told: readonly { readonly code?: ProblemCode | undefined }[]): string[] {
  const codes = new Set(told.map(({ code }) => code).filter(hasPage));
  const [first] = codes;
  if (first === undefined) return [];
  return [`Read more: npx fwk docs ${first}${codes.size > 1 ? ', and so for each code' : ''}`];
}

/** The message of anything that can be thrown, without a final full stop. Never throws: a getter in it may. */
export function messageOf(thrown: unknown): string {
  try {
    const message = thrown instanceof Error && thrown.message !== '' ? thrown.message : thrown;
    return String(message).replace(/\.$/, '');
  } catch {
    return 'a value that cannot be shown';
  }
}
