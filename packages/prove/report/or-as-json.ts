import { BootError } from 'fwkit/plugin';

/** What `--json` prints in place of a report, where that cannot be made, with status 2. */
export interface UnknownReport {
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
