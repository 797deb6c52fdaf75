import { rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { project } from '../harness/project.js';
import { BREAKS, type Change, HARMLESS } from './breaks.js';
import { type GuardedApp, guardedApp } from './guarded-app.js';
import { type Proven, prove } from './proving.js';

// Generated projects whose guards are broken in every known way, or changed without breaking anything.

/** Breaks take turns with these projects. */
const SEEDS = [1, 32, 69];

/** The first project from a seed on in which a change applies. */
function changedApp(from: number, change: Change): GuardedApp {
  for (let seed = from; seed < from + 200; seed += 1) {
    const app = guardedApp(seed);
    if (change(app) !== false) return app;
  }
  throw new Error('the change applies to no project');
}

async function proven({ files }: GuardedApp): Promise<Proven> {
  const made = project(files);
  const result = await prove(made);
  rmSync(made.root, { recursive: true, force: true });
  return result;
}

const breaks = suite('breaks that fwk prove finds');
for (const [index, [name, change]] of Object.entries(BREAKS).entries())
  breaks(name, async () => {
    const { findings } = await proven(changedApp(SEEDS[index % SEEDS.length] ?? 1, change));
    assert.ok(findings.length > 0);
  });
breaks.run();

const harmless = suite('changes that fwk prove accepts');
const applied = new Set<string>();
for (const seed of SEEDS)
  harmless(`all of them together, in project ${seed}`, async () => {
    const app = guardedApp(seed);
    for (const [name, change] of Object.entries(HARMLESS)) if (change(app) !== false) applied.add(name);
    const { findings, proven: proofs } = await proven(app);
    assert.equal(findings, []);
    assert.ok(proofs.some(({ by }) => by.startsWith('probe ')));
  });
harmless('each of them is part of a project', () => {
  assert.equal(
    Object.keys(HARMLESS).filter((name) => !applied.has(name)),
    [],
  );
});
harmless.run();
