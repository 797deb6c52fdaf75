import { once } from 'node:events';
import { createServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { freePort } from '../../harness/free-port.js';
import { launch } from '../../harness/fwk.js';
import { bin } from '../../harness/installed.js';
import { project } from '../../harness/project.js';
import { route } from '../../harness/source.js';

const test = suite('the port of fwk dev');
const made = project({
  'api/log.ts': route(
    `(req, res, ctx) => ctx.logger.info({ user: { name: 'Ada', tags: [{ id: 1 }] } }, 'nested')`,
  ),
});

const dev = (port: string, ...flags: string[]) => {
  return launch('/usr/bin/env', [`PORT=${port}`, bin('fwk'), 'dev', ...flags], made.root);
};

test('fwk dev uses PORT from the environment, and prints logged objects unchanged', async () => {
  const port = await freePort();
  const { output, stop } = dev(String(port));
  await output.waitFor(new RegExp(`http://localhost:${port}/$`, 'm'));
  const mark = output.mark();
  await fetch(`http://localhost:${port}/api/log`);
  await output.waitFor(/nested \{\s+user: \{ name: 'Ada', tags: \[ \{ id: 1 \} \] \}\s+\}/, mark);
  await stop();
});

test('--port takes precedence over PORT', async () => {
  const taken = createServer().listen(0, 'localhost');
  await once(taken, 'listening');
  const port = await freePort();
  const { output, stop } = dev(String(Object(taken.address()).port), '--port', String(port));
  await output.waitFor(new RegExp(`http://localhost:${port}/$`, 'm'));
  await stop();
  taken.close();
});

test('rejects an invalid PORT', async () => {
  const { output, end } = dev('eighty');
  assert.is((await end).status, 1);
  assert.match(
    output.stderr,
    /^FWK204 PORT is a whole number from 0 to 65535, not "eighty"\. Set it to one\./,
  );
});

test.run();
