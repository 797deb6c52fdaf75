/**
 * Keep stdout for a report: what anybody else writes to it goes to stderr, until the report begins. Returns what prints a line of the
 * report. Then stdout is as it was, since the end of a command waits until it has been written.
 */
export function keepStdout(): (line: string) => void {
  const { stdout, stderr } = process;
  const write = stdout.write;
  stdout.write = stderr.write.bind(stderr);
  return (line) => {
    stdout.write = write;
    stdout.write(`${line}\n`);
  };
}
