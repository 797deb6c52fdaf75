/** Keep stdout for a report: what anybody else writes to it from now on goes to stderr. Returns what prints a line of the report. */
export function keepStdout(): (line: string) => void {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return (line) => void write(`${line}\n`);
}
