import type { Logger } from 'fwkit';
import { BootError } from 'fwkit/plugin';

/** Gives stdout back. Another command may run in this process. */
let release = (): void => {};

/**
 * Keep stdout for a report: what anybody else writes to it goes to stderr, until the report begins. Returns what prints a line of the
 * report. Then stdout is as it was, since the end of a command waits until it has been written.
 */
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

/** What `--json` prints in place of a report, where that cannot be made, with status 2. */
interface UnknownReport {
  readonly version: 1;
  readonly errors: readonly { readonly code?: string; readonly file?: string; readonly message: string }[];
}

/** Gives what `work` does. Who reads JSON is told there, too, why there is nothing: what it rejects with is on stderr alone. */
export async function orAsJson<T>(
  isJson: boolean,
  print: (text: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (isJson && thrown instanceof BootError) print(JSON.stringify(unknownReport(thrown), null, 2));
    throw thrown;
  } finally {
    release();
  }
}

const unknownReport = ({ problems }: BootError): UnknownReport => ({
  version: 1,
  errors: problems.map(({ code, file, message }) => ({
    ...(code === undefined ? {} : { code }),
    ...(file === undefined ? {} : { file }),
    message,
  })),
});

const leave = (): void => {};
const write = (...said: readonly unknown[]): void => console.error(...said);

/** Writes nothing: what guards log is no part of a report. */
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

/** Writes errors alone: where nothing of the project is started, what it says of how it would run is not of interest. */
export const QUIET: Logger = { ...SILENT, level: 'error', error: write, fatal: write, child: () => QUIET };
