import * as assert from 'uvu/assert';
import { dev, spawnDevWith } from './fwk.js';
import { request } from './http.js';
import type { Project } from './project.js';

/**
 * Runs `fwk dev` on a project that cannot be served: it must report the reason without a stack, answer with it, and end
 * on a signal.
 */
export async function mistaken(
  made: Pick<Project, 'root'>,
  ...variables: readonly string[]
): Promise<string> {
  const server = await (variables.length === 0 ? dev(made) : spawnDevWith(made, ...variables));
  await server.waitFor(/fwk dev waits for edits\n/);
  const { stderr } = server.output;
  assert.not.match(stderr, /^\s+at |node:internal|\[object Object\]/m);
  const { status, json } = await request(server.url, '/any', { headers: { accept: 'application/json' } });
  assert.is(status, 500);
  for (const { code, message } of Object(json).errors)
    assert.ok(stderr.includes(`${code} ${message}`), message);
  assert.ok(Object(json).errors.length > 0);
  await server.stop();
  return stderr;
}
