import * as assert from 'uvu/assert';
import { type Ended, fwk } from '../../harness/fwk.js';
import { type Files, type Project, project } from '../../harness/project.js';
import { module, route } from '../../harness/source.js';

// The findings of `fwk doctor`.

export interface Found {
  readonly rule: string;
  readonly code?: string;
  readonly file?: string;
  readonly line?: number;
  readonly message: string;
  readonly fixable: boolean;
}

export interface DoctorReport {
  readonly boot: readonly { readonly file?: string; readonly message: string }[];
  readonly findings: readonly Found[];
  readonly fixed: readonly Found[];
}

export const doctor = (made: Pick<Project, 'root'>, ...args: string[]): Promise<Ended> =>
  fwk(made, 'doctor', ...args);

export async function doctorReport(made: Project, ...args: string[]): Promise<DoctorReport> {
  const { status, stdout, stderr } = await doctor(made, '--json', ...args);
  assert.is(stderr, '');
  const found = JSON.parse(stdout) as DoctorReport;
  assert.is(status, found.boot.length + found.findings.length > 0 ? 1 : 0);
  return found;
}

export const placed = ({ findings }: DoctorReport): string[] =>
  findings.map(({ rule, file, line }) => [rule, file, line].filter((part) => part !== undefined).join(' '));

export const service = (body: string): string =>
  module('service', `export default service(() => (${body}));`);
export const reading = (code: string): string => route('get', `(_req, _res, ctx) => ${code}`);

export async function scaffolded(files: Files = {}, ...flags: string[]): Promise<Project> {
  const made = project(files, flags.includes('--js') ? 'js' : 'ts');
  assert.is((await fwk(made, 'scaffold', ...flags)).status, 0);
  return made;
}
