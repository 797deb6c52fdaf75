/** CPU time and memory of processes, as Linux counts them (proc_pid_stat(5)). */
import { readFileSync } from 'node:fs';

/** Linux counts in ticks, a hundred in a second on all common machines. */
const MS_PER_TICK = 10;

/** The fields behind the name of the process, which may have spaces in it. */
const statOf = (pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
const UTIME = 11;
const CUTIME = 13;

/** User and system time follow one another. */
function milliseconds(pid, field) {
  const [user, system] = statOf(pid).slice(field);
  return (Number(user) + Number(system)) * MS_PER_TICK;
}

/** Milliseconds of CPU that the ended children of this process took. */
export const childrenCpu = () => milliseconds('self', CUTIME);

/** Milliseconds of CPU that a process took, without its children. */
export const cpuOf = (pid) => milliseconds(pid, UTIME);

/** The most memory that a process had, in MB. */
export function peakOf(pid) {
  const [, kilobytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1_024);
}
