import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { launch } from '../../harness/fwk.js';
import { installed } from '../../harness/installed.js';
import { keptClients } from '../../harness/keep-alive-clients.js';
import { nodes } from '../../harness/nodes.js';
import { project } from '../../harness/project.js';
import { MAIN, production } from '../../harness/settings.js';
import { route } from '../../harness/source.js';

const made = project(
  {
    'main.ts': MAIN,
    'workers.ts': MAIN.replace('bootstrap()', 'bootstrap({ workers: 2 })'),
    'api/quick.ts': route('get', '() => "quick"'),
  },
  'js',
);
/** Each response of the last 200 ms announces the end of its connection, so its client opens another. */
const announced = project(
  {
    'workers.ts': MAIN.replace('bootstrap()', 'bootstrap({ workers: 2 })'),
    'fwk.config.ts': 'export default { http: { drainDelay: 200 } };\n',
    'api/quick.ts': route('get', '() => "quick"'),
  },
  'js',
);

async function dev(node: string) {
  const bin = path.join(installed(), 'node_modules/fwkit/cli/fwk.js');
  const { child, output, end } = launch(node, [bin, 'dev', '--port', '0'], made.root);
  const [, url = ''] = await output.waitFor(/(http:\/\/\S+:\d+)\/$/m);
  return { child, output, end, url };
}

for (const [name, node] of nodes()) {
  const test = suite(name);

  for (const [what, begin] of [
    ['production', () => production(made, 'main.js', node)],
    ['workers', () => production(made, 'workers.js', node)],
    ['workers with http.drainDelay', () => production(announced, 'workers.js', node)],
    ['fwk dev', () => dev(node)],
  ] as const)
    test(`${what}: 64 clients lose no request, and it exits with 0`, async () => {
      const { child, end, url } = await begin();
      const clients = keptClients(url, '/api/quick', 64);
      await clients.busy;
      child.kill('SIGTERM');
      const { answered, others, lost } = await clients.done;
      assert.equal({ others, lost }, { others: 0, lost: 0 });
      assert.ok(answered >= 64);
      const { status, stderr } = await end;
      assert.is(status, 0, stderr);
    });

  test.run();
}
