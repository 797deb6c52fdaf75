import { openSources, pathsOf, runFor } from '../../cli/project.js';
import { serveSources } from '../../cli/serve-sources.js';
import type { CommandRun, OpenOptions } from '../../kernel/index.js';
import type { Finding, Proof } from '../../packages/prove/prove/findings.js';
import { probeFor } from '../../packages/prove/prove/probed.js';
import { readPolicy } from '../../packages/prove/prove/read-policy.js';
import { checkPolicy } from '../../packages/prove/prove/static-part.js';
import type { Project } from '../harness/project.js';

// What `fwk prove` does, in this process: hundreds of projects are proven by one.

process.env.NODE_ENV = 'development';

const nothing = (): void => {};
const SILENT: NonNullable<OpenOptions['logger']> = {
  level: 'silent',
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  fatal: nothing,
  child: () => SILENT,
};

export interface Proven {
  readonly findings: readonly Finding[];
  readonly proven: readonly Proof[];
  readonly requests: number;
}

/** A run of a command in a project. */
export function runIn({ root }: Pick<Project, 'root'>): CommandRun {
  const paths = pathsOf({ dir: root });
  const open = (options: OpenOptions = {}) => openSources(paths, runFor('prove', options));
  return {
    flags: {},
    operands: [],
    paths: () => paths,
    open,
    serve: (options) => serveSources(() => open(options)),
  };
}

/** Hold a project against its policy: the static part, and the probe. */
export async function prove(made: Pick<Project, 'root'>, thorough = false): Promise<Proven> {
  const run = runIn(made);
  const { project, routes, close } = await (await run.open({ purpose: 'build', logger: SILENT })).resolve();
  try {
    const checked = checkPolicy(await readPolicy(project), routes, project);
    const probed = await probeFor(run, checked, { project, routes, thorough });
    return {
      findings: [...checked.flatMap(({ findings }) => findings), ...probed.findings],
      proven: [...checked.flatMap((one) => one.proven), ...probed.proven],
      requests: probed.requests,
    };
  } finally {
    await close();
  }
}
