import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { launch } from '../../harness/fwk.js';
import { connect, request } from '../../harness/http.js';
import { bin } from '../../harness/installed.js';
import { type Files, project } from '../../harness/project.js';
import { SLOW_START } from '../../harness/slow-start.js';
import { connectSocket } from '../../harness/socket.js';
import { route, wsModule } from '../../harness/source.js';

// The port is opened first, so that a used port is reported first. Requests wait until the app has started.

const files: Files = {
  'fwk.config.ts': SLOW_START,
  'api/plain.ts': route('get', `() => 'plain'`),
  'api/plain.post.ts': route('post', '(req) => String(req.body)'),
};

const test = suite('requests during boot');

for (const [what, more, path] of [
  [
    'with sockets',
    {
      'ws/hello.ts': wsModule(`({ send }) => { console.log('[connected]'); send('hello'); }`),
    },
    '/ws/hello',
  ],
  ['without any', {}, undefined],
] as const)
  test(`requests and handshakes during boot wait and are answered afterwards, ${what}`, async () => {
    const made = project({ ...files, ...more });
    const { child, output, stop } = launch(bin('fwk'), ['dev', '--port', '0'], made.root);
    const [, url = ''] = await output.waitFor(/\[open\] (\S+)\//);
    const asked = [
      request(url, '/api/plain'),
      request(url, '/api/plain', { headers: { connection: 'Upgrade', upgrade: 'h2c' } }),
      request(url, '/api/plain', {
        method: 'POST',
        body: 'plain',
        headers: { connection: 'Upgrade', upgrade: 'h2c' },
      }),
    ];
    const socket = path && connectSocket(url, path);
    // Connections are accepted in order; Node itself refuses this one.
    const last = await connect(url);
    last.send('nonsense\r\n\r\n');
    assert.match(await last.rest(), '400 Bad Request');
    child.kill('SIGUSR2');
    for (const { status, json } of await Promise.all(asked)) assert.equal([status, json], [200, 'plain']);
    if (socket) assert.is(await (await socket).next(), 'hello');
    await stop();
    assert.is(output.stdout.split('[connected]').length - 1, path ? 1 : 0);
  });

test.run();
