import * as assert from 'uvu/assert';
import { connect } from '../../harness/http.js';
import { file, type Typed, written } from '../../harness/multipart.js';
import { pipelined } from '../../harness/pipelined.js';
import type { Files } from '../../harness/project.js';
import { served } from '../../harness/served.js';
import { module, route } from '../../harness/source.js';

const mebibyte = 1024 * 1024;

const streaming = (handler: string) =>
  module(
    'error, post',
    `import { mailbox } from '../lib/mailbox.js';
     export default post(${handler}).meta({ body: 'stream' });`,
  );

/** Logs the error of the body. */
const watched = (name: string, read: string) => `async (req) => {
  try { mailbox('${name}:begun').put(true); ${read} }
  catch (thrown) { mailbox('${name}').put(thrown.message); throw thrown; }
}`;

const files: Files = {
  // Words that one request leaves for another, whichever comes first.
  'lib/mailbox.ts': `const boxes = new Map();
    export const mailbox = (name) => {
      let box = boxes.get(name);
      if (!box) { box = {}; box.got = new Promise((put) => { box.put = put; }); boxes.set(name, box); }
      return box;
    };`,
  'api/told.get.ts': module(
    'get',
    `import { mailbox } from '../lib/mailbox.js';
     export default get(async (req) => ({ told: await mailbox(req.query.name).got }));`,
  ),
  'api/put.post.ts': module(
    'post',
    `import { mailbox } from '../lib/mailbox.js';
     export default post((req) => { mailbox(req.query.name).put(true); });`,
  ),
  'api/break.post.ts': streaming(
    `async (req) => { for await (const part of req.body) return { left: true }; }`,
  ),
  'api/inside.post.ts': streaming(
    `async (req) => {
       for await (const part of req.body) for await (const chunk of part.stream) return { left: true };
     }`,
  ),
  'api/throw.post.ts': streaming(
    `async (req) => { for await (const part of req.body) throw error(422, 'no'); }`,
  ),
  'api/unread.post.ts': streaming('() => ({ read: false })'),
  'api/held.post.ts': streaming(
    `async (req) => {
       const { value: part } = await req.body.next();
       mailbox('held').put(true);
       globalThis.heldSocket = req.raw.socket;
       await mailbox('go').got;
       let size = 0;
       for await (const chunk of part.stream) size += chunk.length;
       return { size };
     }`,
  ),
  'api/read.get.ts': route('get', '() => ({ bytes: globalThis.heldSocket.bytesRead })'),
  'api/gone-raw.post.ts': streaming(watched('raw', 'for await (const chunk of req.body);')),
  'api/gone-parts.post.ts': streaming(watched('parts', 'for await (const part of req.body);')),
  'api/gone-file.post.ts': streaming(
    watched('file', 'for await (const part of req.body) for await (const chunk of part.stream);'),
  ),
};

served(files, (test, site) => {
  const bytes = (count: number): Typed => ({
    type: 'application/octet-stream',
    body: Buffer.alloc(count, 'POST /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n'),
  });
  const told = async (name: string) =>
    ((await site.raw(`/api/told?name=${name}`)).json as { told: unknown }).told;

  const { body: big } = bytes(2 * mebibyte);
  const files = written(file('a', 'a', big), file('b', 'b', big), file('c', 'c', 'x'));

  for (const [path, sent, status] of [
    ['break', files, 200],
    ['inside', files, 200],
    ['throw', files, 422],
    ['unread', files, 200],
    ['break', bytes(4 * mebibyte), 200],
    ['throw', bytes(4 * mebibyte), 422],
    ['unread', bytes(4 * mebibyte), 200],
  ] as const) {
    test(`${path}: the rest of a body of type ${sent.type.split(';')[0]} is not parsed as a request`, async () => {
      assert.equal(await pipelined(site.dev.url, `/api/${path}`, sent), [status, 404]);
    });
  }

  test('an unread body stays with the client', async () => {
    const connection = await connect(site.dev.url);
    const { type, body } = written(file('a', 'a', Buffer.alloc(48 * mebibyte)));
    connection.send(
      `POST /api/held HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    connection.send(body);
    await told('held');
    let read = 0;
    for (let round = 0; round < 50; round++)
      read = ((await site.raw('/api/read')).json as { bytes: number }).bytes;
    assert.ok(read < mebibyte, `${read} bytes were read`);
    await site.raw('/api/put?name=go', { method: 'POST' });
    assert.match(await connection.read(/"size":\d+}/), `{"size":${48 * mebibyte}}`);
    connection.close();
  });

  for (const name of ['raw', 'parts', 'file']) {
    test(`the loop over a body throws if the client disconnects: ${name}`, async () => {
      const from = site.dev.output.mark();
      const { type, body } = name === 'raw' ? bytes(100_000) : written(file('a', 'a', Buffer.alloc(100_000)));
      const connection = await connect(site.dev.url);
      connection.send(
        `POST /api/gone-${name} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`,
      );
      connection.send(body.subarray(0, 70_000));
      await told(`${name}:begun`);
      connection.close();
      assert.match(String(await told(name)), name === 'raw' ? /aborted/ : /^The client disconnected/);
      assert.is((await site.raw('/api/nowhere')).status, 404);
      assert.is(site.dev.output.all.slice(from), '');
    });
  }
});
