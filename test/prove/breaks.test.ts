import { rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { project } from '../harness/project.js';
import { isSample, sampled } from '../harness/sample.js';
import { BREAKS, type Change, HARMLESS } from './breaks.js';
import { guardedApp } from './guarded-app.js';
import { prove } from './proving.js';

// Generated projects whose guards are broken in every way that we know, and changed in ways that break nothing.

/** `npm test` tries one project per change, the long run three. */
const SEEDS = isSample ? [1] : [1, 32, 63];

/** Proves projects after a change. Each is generated from the first seed from which the change applies. */
async function* proven(change: Change) {
  for (const from of SEEDS) {
    let seed = from;
    let app = guardedApp(seed);
    while (change(app) === false) {
      if (seed > from + 200) throw new Error('no project has what is to be changed');
      app = guardedApp(++seed);
    }
    const made = project(app.files);
    yield { ...(await prove(made)), seed };
    rmSync(made.root, { recursive: true, force: true });
  }
}

const breaks = suite('breaks that fwk prove finds');
for (const [name, change] of sampled(Object.entries(BREAKS), 5))
  breaks(name, async () => {
    for await (const { findings, seed } of proven(change))
      assert.ok(findings.length > 0, `nothing was found in the project of seed ${seed}`);
  });
breaks.run();

const harmless = suite('changes that fwk prove accepts');
for (const [name, change] of sampled(Object.entries(HARMLESS), 3))
  harmless(name, async () => {
    for await (const { findings, proven: proofs, seed } of proven(change)) {
      assert.equal(findings, [], `in the project of seed ${seed}`);
      assert.ok(proofs.some(({ by }) => by.startsWith('probe ')));
    }
  });
harmless.run();
