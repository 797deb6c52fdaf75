/** CPU time and memory of processes from Linux (proc_pid_stat(5)). */
import { readFileSync } from 'node:fs';

/** Linux counts in ticks: 100 per second on all common machines. */
const MS_PER_TICK = 10;

/** The fields after the name of the process, because the name may contain spaces. */
const statOf = (pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
const UTIME = 11;
const CUTIME = 13;

/** System time is the field after user time. */
function milliseconds(pid, field) {
  const [user, system] = statOf(pid).slice(field);
  return (Number(user) + Number(system)) * MS_PER_TICK;
}

/** Returns the CPU time of this process's ended children, in milliseconds. */
export const childrenCpu = () => milliseconds('self', CUTIME);

/** Returns the CPU time of a process without its children, in milliseconds. */
export const cpuOf = (pid) => milliseconds(pid, UTIME);

/** Returns the peak memory of a process in MB. */
export function peakOf(pid) {
  const [, kilobytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1_024);
}
