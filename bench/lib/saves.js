/** Measures the time of an edit and of an additional test app in a small and in a large project. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { httpGet, waitForResponse } from '../reload/http-get.js';
import { SUBJECTS, startSubject } from '../reload/subjects.js';
import { LARGE, ROUTE, SMALL, writeEditedProject } from './edited-project.js';
import { freePort } from './processes.js';
import { median } from './report.js';

const HOME = join(import.meta.dirname, '../.generated');
const EDITS = 30;
/** Milliseconds between a response with the new text and the next save. */
const PAUSE = 300;

const APPS = `import { createTestApp } from 'fwkit/testing';
const times = [];
for (let app = 0; app < 8; app += 1) {
  const began = performance.now();
  await (await createTestApp()).close();
  times.push(performance.now() - began);
}
console.log(JSON.stringify(times.slice(1)));
`;

/** Returns the milliseconds for each kind of edit and for an additional test app, by project size. */
export async function measureSaves() {
  return { small: await measure('small', SMALL), large: await measure('large', LARGE) };
}

async function measure(name, size) {
  const root = join(HOME, `edited-${name}`);
  const save = writeEditedProject(root, size);
  writeFileSync(join(root, 'apps.mjs'), APPS);
  const { NODE_ENV: _, ...env } = process.env;
  const app = median(
    JSON.parse(execFileSync(process.execPath, ['apps.mjs'], { cwd: root, env, encoding: 'utf8' })),
  );
  const port = await freePort();
  const server = startSubject(SUBJECTS.fwk, { root }, port);
  try {
    await waitForResponse(port, ROUTE, () => true, performance.now());
    // Waits until fwk has checked all routes of the first version.
    await sleep(5_000);
    const times = { route: [], service: [] };
    for (let version = 1; version <= EDITS; version += 1)
      for (const kind of ['route', 'service']) {
        const saved = performance.now();
        save[kind](version);
        times[kind].push(await waitForResponse(port, ROUTE, (body) => body[kind] === version, saved));
        await sleep(PAUSE);
        await httpGet(port, ROUTE);
      }
    return { route: median(times.route), service: median(times.service), app };
  } finally {
    await server.stop();
  }
}
