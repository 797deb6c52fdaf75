import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '../../app/loggers.js';
import type { Finding } from '../../contributions/index.js';
import {
  BootError,
  type Kernel,
  type Problem,
  type Project,
  type ProjectPaths,
  type Resolved,
} from '../../kernel/index.js';
import { compilation } from '../build/tsc.js';
import { openSources } from '../project.js';
import { withoutOutput } from '../terminal/mute.js';
import { copies, manifest, oldTypeScript, unusedPlugins } from './package-rules.js';
import { environment, generatedTypes, staleGuidance } from './project-rules.js';
import { byPlace, modulesBelow, type Rule } from './subject.js';

const RULES: readonly Rule[] = [
  oldTypeScript,
  manifest,
  copies,
  unusedPlugins,
  environment,
  generatedTypes,
  staleGuidance,
];

export interface Diagnosis {
  readonly boot: readonly Problem[];
  readonly findings: readonly Finding[];
}

export async function examine(paths: ProjectPaths): Promise<Diagnosis> {
  const boot: Problem[] = [];
  const note = (thrown: unknown): undefined => {
    if (!(thrown instanceof BootError)) throw thrown;
    boot.push(...thrown.problems);
  };
  const { kernel, resolved } = await withoutOutput(async () => {
    const kernel = await openSources(paths, { logger: silentLogger }).catch(note);
    return { kernel, resolved: await kernel?.resolve().catch(note) };
  });
  try {
    const compiled = await compilationOf(paths, boot);
    const outputs = compiled?.outDir === undefined ? [] : [compiled.outDir];
    const subject = { paths, kernel, resolved, outputs, compiled: compiled?.sources };
    const general = await Promise.all(RULES.map(async (rule) => rule(subject)));
    const own = kernel ? await ofPlugins(kernel, resolved, outputs) : [];
    return { boot, findings: [...general.flat(), ...own].sort(byPlace) };
  } finally {
    await withoutOutput(async () => resolved?.close());
  }
}

/** How a project is compiled; undefined if it isn't, or if that is unknown. Booting doesn't need it. */
async function compilationOf(paths: ProjectPaths, problems: Problem[]) {
  if (!existsSync(join(paths.root, 'tsconfig.json'))) return undefined;
  try {
    return await compilation(paths);
  } catch (thrown) {
    if (!(thrown instanceof BootError)) throw thrown;
    problems.push(...thrown.problems.filter(({ code }) => code === 'FWK624'));
    return undefined;
  }
}

async function ofPlugins(
  kernel: Kernel,
  resolved: Resolved | undefined,
  outputs: readonly string[],
): Promise<Finding[]> {
  const project = resolved?.project ?? discovered(kernel);
  if (!project) return [];
  const examination = {
    project,
    routes: resolved?.routes,
    sources: modulesBelow(project.root, outputs),
  };
  const found: Finding[] = [];
  for (const { doctor } of kernel.plugins.values())
    found.push(...((await (await doctor?.())?.examine(examination)) ?? []));
  return found;
}

function discovered(kernel: Kernel): Project | undefined {
  try {
    return kernel.discover();
  } catch (thrown) {
    if (thrown instanceof BootError) return undefined;
    throw thrown;
  }
}
