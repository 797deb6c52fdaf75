import { cpSync, existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ended, start } from '../../harness/fwk.js';
import { repo } from '../../harness/installed.js';
import { linkLibraries } from '../../harness/libraries.js';
import { Output } from '../../harness/output.js';
import { type Project, project } from '../../harness/project.js';
import { suites } from './suites.js';

// docs/recipes/from-express.md: an application in Express, step by step to one without it. Its tests pass at each step.

/** Each step is the one before, and what its folder replaces and adds. */
const STEPS = ['original', 'mounted', 'half', 'moved'] as const;
/** What the last step has no more. */
const OF_EXPRESS = ['server.js', 'app.js', 'sessions.js', 'controllers'];

const test = suite('moving in from Express');

for (const [name, cases] of Object.entries(suites))
  test(`${name}, at each step`, async () => {
    const made = project({}, 'js');
    linkLibraries(made, 'express');
    for (const step of STEPS) {
      const folder = path.join(repo, 'test/fixtures/moving', name, step);
      assert.ok(existsSync(folder), folder);
      cpSync(folder, made.root, { recursive: true });
      const isMoved = step === 'moved';
      if (isMoved) without(made, 'node_modules/express', ...OF_EXPRESS);
      await served(made, isMoved ? 'main.js' : 'server.js', async (url) => {
        for (const [title, asks] of Object.entries(cases))
          await asks(url).catch((thrown: Error) => {
            thrown.message = `${name}, ${step}, ${title}: ${thrown.message}`;
            throw thrown;
          });
        const version = await fetch(`${url}/api/version`);
        assert.is(version.status === 200, step !== 'original', `${name}, ${step}: what is new`);
      });
    }
  });

function without(made: Project, ...names: string[]): void {
  for (const name of names) rmSync(path.join(made.root, name), { recursive: true, force: true });
}

async function served(made: Project, entry: string, act: (url: string) => Promise<void>): Promise<void> {
  const secret = `SESSION_SECRET=${'secret'.repeat(6)}`;
  const variables = ['PORT=0', 'HOST=127.0.0.1', secret];
  const child = start('/usr/bin/env', [...variables, process.execPath, entry], made.root);
  const output = new Output(child);
  const end = ended(child, entry, output);
  try {
    const [, url = ''] = await output.waitFor(/listening on (\S+)\//i);
    await act(url);
  } catch (failure) {
    console.error(output.all);
    throw failure;
  } finally {
    child.kill('SIGTERM');
    await end;
  }
}

test.run();
