// Removes a test's files when its process ends; the runner stops a hanging file with SIGTERM.
const jobs: (() => void)[] = [];
const reports: (() => void)[] = [];

process.on('exit', () => {
  for (const job of jobs.reverse()) job();
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, endHanging);

/** Ends this process with an error, after every report of `whenStopped`. */
export function endHanging(): never {
  for (const report of reports) report();
  process.exit(1);
}

/** Runs a synchronous job when this process ends; the last one added runs first. */
export function atExit(job: () => void): void {
  jobs.push(job);
}

/** Runs a synchronous job when this process is stopped because it hangs. */
export function whenStopped(report: () => void): void {
  reports.push(report);
}

/** Ends this process after its tests even if a project whose command ran left resources open. */
export function endWithTests(): void {
  isEndedWithTests = true;
}
let isEndedWithTests = false;

export const endsWithTests = (): boolean => isEndedWithTests;
