import * as assert from 'uvu/assert';
import { ended, start } from './fwk.js';
import { request } from './http.js';
import { bin } from './installed.js';
import { Output } from './output.js';
import type { Project } from './project.js';

/** Runs `fwk dev` where nothing can be served: it must tell why without a stack, answer with that, and end when asked. */
export async function mistaken(made: Pick<Project, 'root'>, ...env: readonly string[]): Promise<string> {
  const child = start('env', [...env, bin('fwk'), 'dev', '--port', '0'], made.root);
  const output = new Output(child);
  const end = ended(child, 'fwk dev', output);
  const [, url = ''] = await output.waitFor(/(http:\/\/\S+:\d+)\/$/m);
  await output.waitFor(/fwk dev waits for edits\n/);
  const { stderr } = output;
  assert.not.match(stderr, /^\s+at |node:internal|\[object Object\]/m);
  const { status, json } = await request(url, '/any', { headers: { accept: 'application/json' } });
  assert.is(status, 500);
  for (const { code, message } of Object(json).errors)
    assert.ok(stderr.includes(`${code} ${message}`), message);
  assert.ok(Object(json).errors.length > 0);
  child.kill('SIGTERM');
  assert.is((await end).status, 0);
  return stderr;
}
