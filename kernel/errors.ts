import type { OwnCode, ProblemCode } from './codes.js';
import { isThenable } from './values.js';

/** One mistake to fix. The message names the problem and the fix, in one or two sentences. */
export interface Problem {
  /** Path relative to the project root, or undefined if the problem is not in a file. */
  readonly file?: string | undefined;
  /** 1-based line in `file`. */
  readonly line?: number | undefined;
  readonly message: string;
  /** `npx fwk docs FWK103` explains a code of fwkit. A plugin has codes of its own, such as `ACME-12`. */
  readonly code: ProblemCode;
  /** Shown below the message: the lines of `file` around a syntax error, or the stack frames of a failed plugin. */
  readonly excerpt?: string | undefined;
}

/** A problem in one sentence, which names its file. */
export interface Notice {
  readonly message: string;
  readonly code?: ProblemCode | undefined;
}

/** The project cannot start. Carries every problem found in one run, and is shown without a stack trace. */
export class BootError extends Error {
  override readonly name: string = 'BootError';
  readonly problems: readonly Problem[];

  constructor(problems: Problem | readonly Problem[]) {
    const list = [problems].flat();
    super(list.map(describeProblem).join('\n'));
    this.problems = list;
  }

  get code(): ProblemCode | undefined {
    return this.problems[0]?.code;
  }
}

/** A wrong key or value in `fwk.config`, or in the options that override it. */
export class ConfigError extends BootError {
  override readonly name = 'ConfigError';
}

/** `src/api/users.get.ts:3: does not parse …`, without the code. */
export function describeProblem({ file, line, message }: Problem): string {
  if (file === undefined) return message;
  return line === undefined ? `${file}: ${message}` : `${file}:${line}: ${message}`;
}

/** The message of any thrown value, without a final period. Never throws, although a getter of the value may. */
export function messageOf(thrown: unknown): string {
  try {
    // Node's error for a host with several addresses has no message, and one error per address.
    const cause = thrown instanceof AggregateError && thrown.message === '' ? thrown.errors[0] : thrown;
    const message = cause instanceof Error && cause.message !== '' ? cause.message : cause;
    return String(message).replace(/\.$/, '');
  } catch {
    return 'a value that cannot be shown';
  }
}

/** Matches a `ProblemCode`. Errors of Node and of libraries have codes in other formats. */
const CODE = /^(?:FWK\d{3}|[A-Z][A-Z0-9_]*-\d+)$/;

/** Adds `code` to `error`; a text makes a TypeError. The code is shown in error reports, and is a field of JSON logs. */
export function coded(code: ProblemCode, error: string): TypeError & { code: ProblemCode };
export function coded<E extends Error>(code: ProblemCode, error: E): E & { code: ProblemCode };
export function coded(code: ProblemCode, error: string | Error): Error {
  return Object.assign(typeof error === 'string' ? new TypeError(error) : error, { code });
}

/** The code of a thrown value, or undefined if it has none. Never throws. */
export function codeOf(thrown: unknown): ProblemCode | undefined {
  try {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
    return isCode(code) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a code is one of fwkit's: each of them has a page. Plugins in JavaScript may pass any value. */
export const hasPage = (code?: ProblemCode): code is OwnCode => isCode(code) && code.startsWith('FWK');

const isCode = (code: unknown): code is ProblemCode => typeof code === 'string' && CODE.test(code);

/** A plugin uses the plugin API incorrectly. The message names the correct way. */
export class PluginMisuse extends Error {}

/** Reads the stack frames of a thrown value, one per line, without Node's frames. `isStrict` also excludes the framework's. */
export type FrameReader = (thrown: unknown, isStrict: boolean) => string | undefined;

/** A plugin failed. The message names the plugin, the phase and a remedy. The excerpt has the plugin's stack frames. */
export class PluginError extends BootError {
  override readonly name = 'PluginError';

  /** @param phase completes "failed in": `resolve`, `command "greet"` */
  constructor(plugin: string, phase: string, cause: unknown, framesOf: FrameReader) {
    const isMisuse = cause instanceof PluginMisuse;
    const remedy = isMisuse ? '' : ` Fix it, or disable it with disable: ['${plugin}'].`;
    const message = `Plugin "${plugin}" failed in ${phase}: ${messageOf(cause)}.${remedy}`;
    const code = isMisuse ? 'FWK707' : (codeOf(cause) ?? 'FWK706');
    super({ message, code, excerpt: framesOf(cause, isMisuse) });
    this.cause = cause;
  }
}

/** Wraps `run` so that errors become a PluginError. A BootError is about the project, so it is rethrown unchanged. */
export function attributeErrors(
  plugin: string,
  phase: string,
  frames: FrameReader,
  run: () => unknown,
): () => unknown {
  const blame = (cause: unknown): never => {
    throw cause instanceof BootError ? cause : new PluginError(plugin, phase, cause, frames);
  };
  return () => {
    try {
      const result = run();
      return isThenable(result) ? Promise.resolve(result).catch(blame) : result;
    } catch (cause) {
      return blame(cause);
    }
  };
}
