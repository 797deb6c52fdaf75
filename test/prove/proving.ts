import { openSources, pathsOf, runFor } from '../../cli/project.js';
import { serveSources } from '../../cli/serve-sources.js';
import type { CommandRun, OpenOptions } from '../../contributions/index.js';
import { BootError } from '../../kernel/index.js';
import { checkPolicy, readPolicy } from '../../packages/prove/policy/check-policy.js';
import type { Ask, Finding, Proof } from '../../packages/prove/policy/findings.js';
import { type Letter, Sender } from '../../packages/prove/probe/sender.js';
import { probeRules } from '../../packages/prove/prove/run.js';
import { type Files, type Project, project } from '../harness/project.js';

// `fwk prove` in this process, since the tests prove hundreds of projects.

process.env.NODE_ENV = 'development';

export interface Proven {
  readonly findings: readonly Finding[];
  readonly proven: readonly Proof[];
  readonly requests: number;
}

let isBriefNow = false;
const finished = new WeakSet<Sender>();
const { send } = Sender.prototype;
/** In a brief check, a sender stops after its first finding. */
Sender.prototype.send = function (letters) {
  const isMoot = (): boolean => isBriefNow && finished.has(this);
  const stopping = letters.map((letter): Letter => {
    const settle: Letter['settle'] = (outcome) => {
      letter.settle(outcome);
      if (letter.isMoot()) finished.add(this);
    };
    return { ...letter, settle, isMoot: () => isMoot() || letter.isMoot() };
  });
  return send.call(this, stopping);
};

/** Runs a command in a project. */
export function runIn({ root }: Pick<Project, 'root'>): CommandRun {
  const paths = pathsOf({ dir: root });
  const open = (options: OpenOptions = {}) => openSources(paths, runFor('prove', options));
  return {
    flags: {},
    operands: [],
    paths: () => paths,
    open,
    serve: (options) => serveSources(() => open({ ...options, isSilent: true })),
  };
}

/**
 * Whether a project complies with its policy. If a guard is named, rules about guards are checked once the chains of
 * all routes are right. A project that does not boot does not comply.
 */
export async function holds(made: Pick<Project, 'root'>, guard?: string): Promise<boolean> {
  try {
    const { findings } = await prove(made, { guard, isBrief: true });
    return findings.length === 0;
  } catch (thrown) {
    if (thrown instanceof BootError) return false;
    throw thrown;
  }
}

interface ProvingOptions {
  /** Only whether there is a finding matters, so the check ends with the first one. */
  readonly isBrief?: boolean;
  readonly guard?: string | undefined;
}

/** Checks a project against its policy: the static part, and the probe. */
export async function prove(
  made: Pick<Project, 'root'>,
  { isBrief = false, guard }: ProvingOptions = {},
): Promise<Proven> {
  const run = runIn(made);
  isBriefNow = isBrief;
  const { project, routes, close } = await (await run.open({ purpose: 'build', isSilent: true })).resolve();
  try {
    const checked = checkPolicy(await readPolicy(project), routes, project);
    const isBehind = ({ rule, target }: Ask): boolean =>
      guard === undefined || (rule.guards.length > 0 && target.chain.includes(guard));
    const open = checked.map((one) => ({
      ...one,
      asks: one.asks.filter(isBehind),
      // The probe answers an exception that has an effect with a finding, too.
      excuses: isBrief ? [] : one.excuses,
    }));
    const findings: Finding[] = isBrief ? checked.flatMap((one) => one.findings) : [];
    const proven: Proof[] = [];
    let requests = 0;
    for (const some of isBrief ? open.map((one) => [one]) : [open]) {
      if (findings.length > 0) break;
      const probed = await probeRules(run, some, { project, routes });
      findings.push(...probed.rules.flatMap((rule) => rule.findings));
      proven.push(...probed.rules.flatMap((rule) => rule.proven));
      requests += probed.requests;
    }
    return { findings, proven, requests };
  } finally {
    await close();
  }
}

/** The config of a project to be proven. */
export const config = (more = ''): string =>
  `import { prove } from '@fwkit/prove';\nexport default { plugins: [prove()], ${more} };\n`;

/** A policy of these rules, and the visitors that they name. */
export const policy = (rules: string, visitors = ''): string =>
  `import { anonymous, everything, mutations, policy, sockets, tools, under, visitor } from '@fwkit/prove';\n${visitors}\nexport default policy([${rules}]);\n`;

/** The findings in a project of these files, one line each. */
export async function found(files: Files): Promise<string[]> {
  const { findings } = await prove(project({ 'fwk.config.ts': config(), ...files }));
  return findings.map(({ kind, route, problem }) => `${kind} ${route}: ${problem}`);
}
