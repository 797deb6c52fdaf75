import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect } from '../../harness/http.js';
import { production } from '../../harness/production.js';
import { begin, post, rpc } from '../../harness/rpc.js';
import { route } from './route-tools-project.js';

const files = {
  'fwk.config.ts': 'export default { http: { drainLimit: 300 } };\n',
  'api/broken.get.ts': `import { Readable } from 'node:stream';
import { get } from 'fwkit';
export default get({ tool: true }, () => Readable.from((async function* () {
  yield 'a part';
  await new Promise((resolve) => setImmediate(resolve));
  throw new Error('the rest is lost');
})()));`,
  'api/waits.get.ts': route(
    'get',
    '{ tool: true }',
    "() => {\n  console.log('waits');\n  return new Promise(() => {});\n}",
  ).replace("import { z } from 'zod';\n", ''),
};

const test = suite('endless route tools');

test('a broken response is a failed call, and a call of a disconnected client ends with the server', async () => {
  const site = await production(files);
  const session = await begin(site.url);
  const broken = await post(site.url, rpc('tools/call', { name: 'getBroken' }), session);
  assert.match(broken.text, '"isError":true');
  assert.match(broken.text, 'The tool getBroken failed on the server.');

  const body = JSON.stringify(rpc('tools/call', { name: 'getWaits' }, 2));
  const caller = await connect(site.url);
  const headers = {
    ...session,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': body.length,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  caller.send(`POST /mcp HTTP/1.1\r\nhost: localhost\r\n${lines.join('')}\r\n${body}`);
  await site.output.waitFor(/^waits$/m);
  caller.close();
  // 1: something had to be cut off.
  await site.stop(1);
});

test.run();
