import type { OwnCode, ProblemCode } from './codes.js';
import { isThenable } from './values.js';

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

/** `src/api/users.get.ts:3: does not parse …`, without the code. */
export function describeProblem({ file, line, message }: Problem): string {
  if (file === undefined) return message;
  return line === undefined ? `${file}: ${message}` : `${file}:${line}: ${message}`;
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

/** A code as `ProblemCode` has it: what libraries and Node throw has codes of other forms. */
const CODE = /^(?:FWK\d{3}|[A-Z][A-Z0-9_]*-\d+)$/;

/** `error`, with the code of a mistake that it points at: shown where it is reported, and a field of logs in JSON. */
export const coded = <E extends Error>(code: ProblemCode, error: E): E & { code: ProblemCode } =>
  Object.assign(error, { code });

/** The code of a thrown value; undefined where it has none. Never throws. */
export function codeOf(thrown: unknown): ProblemCode | undefined {
  try {
    if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
    const { code } = thrown;
    return isCode(code) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a code is one of fwkit, which all have a page. A plugin in JavaScript may have given anything. */
export const hasPage = (code: ProblemCode | undefined): code is OwnCode =>
  isCode(code) && code.startsWith('FWK');

const isCode = (code: unknown): code is ProblemCode => typeof code === 'string' && CODE.test(code);

/** A plugin does what it must not. The message says what to do instead. */
export class PluginMisuse extends Error {}

/** Reads the stack frames of a thrown value, one per line, without those of Node. `isStrict`: never those of the framework. */
export type FrameReader = (thrown: unknown, isStrict: boolean) => string | undefined;

/** A plugin failed: a sentence that names the plugin, the phase and a remedy, above the stack frames of its own code. */
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

/** A function that calls `run`, and turns what `run` throws or rejects with into a PluginError. A BootError is about the project and stays as it is. */
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
