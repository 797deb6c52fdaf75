import type { Logger } from 'fwkit';
import { BootError, messageOf, type Problem } from 'fwkit/plugin';

/** Restores stdout. Another command may run in this process. */
let release = (): void => {};

/** Keep stdout for a report: other output goes to stderr until the report begins. Returns a function that prints a line of the report. */
export function keepStdout(): (line: string) => void {
  const { stdout, stderr } = process;
  const write = stdout.write;
  stdout.write = stderr.write.bind(stderr);
  release = () => {
    stdout.write = write;
  };
  return (line) => {
    release();
    stdout.write(`${line}\n`);
  };
}

/** Resolves with the result of `work`. If it rejects and `isJson` is set, prints the reason as JSON, too. */
export async function orAsJson<T>(
  isJson: boolean,
  print: (text: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const problems = thrown instanceof BootError ? thrown.problems : [{ message: messageOf(thrown) }];
    const errors = problems.map(({ code, file, message }: Partial<Problem>) => ({ code, file, message }));
    if (isJson) print(JSON.stringify({ version: 1, errors }, null, 2));
    throw thrown;
  } finally {
    release();
  }
}

const leave = (): void => {};
const write = (...said: readonly unknown[]): void => console.error(...said);

/** Writes nothing: reports don't contain the log lines of guards. */
export const SILENT: Logger = {
  level: 'silent',
  trace: leave,
  debug: leave,
  info: leave,
  warn: leave,
  error: leave,
  fatal: leave,
  child: () => SILENT,
};

/** Writes errors only: the project isn't started, so warnings about how it would run don't matter. */
export const QUIET: Logger = { ...SILENT, level: 'error', error: write, fatal: write, child: () => QUIET };
