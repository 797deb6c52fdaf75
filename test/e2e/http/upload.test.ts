import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { spawnDev } from '../../harness/fwk.js';
import { project } from '../../harness/project.js';
import { module, route } from '../../harness/source.js';

const test = suite('upload');
const SIZE = 512 * 1024 ** 2;

const measurable = existsSync('/proc/self/status') ? test : test.skip;
measurable('512 MiB are streamed in less than 150 MB', async () => {
  const made = project({
    'api/pid.get.ts': route('get', '() => process.pid'),
    'api/upload.post.ts': module(
      'post',
      `export default post(async (req) => {
         let size = 0;
         for await (const part of req.body) for await (const chunk of part.stream) size += chunk.length;
         return { size };
       }).meta({ body: 'stream' });`,
    ),
  });
  const server = await spawnDev(made);
  const pid = await (await server.fetch('/api/pid')).json();
  const head = '--abc\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n';
  const tail = '\r\n--abc--\r\n';
  const outgoing = http.request(`${server.url}/api/upload`, {
    method: 'POST',
    headers: {
      'content-type': 'multipart/form-data; boundary=abc',
      'content-length': head.length + SIZE + tail.length,
    },
  });
  const answered = once(outgoing, 'response');
  outgoing.write(head);
  const piece = Buffer.alloc(1024 * 1024, 'some bytes\r\n-');
  for (let sent = 0; sent < SIZE; sent += piece.length)
    if (!outgoing.write(piece)) await once(outgoing, 'drain');
  outgoing.end(tail);
  const [response] = (await answered) as [http.IncomingMessage];
  assert.is(await text(response), JSON.stringify({ size: SIZE }));
  // The most it ever was.
  const peak = Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  await server.stop();
  assert.ok(peak > 0 && peak * 1024 < 150e6, `${peak} kB`);
});

test.run();
