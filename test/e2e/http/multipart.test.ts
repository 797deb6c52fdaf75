import { randomBytes } from 'node:crypto';
import * as assert from 'uvu/assert';
import { encoded, field, file, type Typed, written } from '../../harness/multipart.js';
import type { Files } from '../../harness/project.js';
import { served } from '../../harness/served.js';
import { module } from '../../harness/source.js';

const tell = `async (req) => {
  const tell = async (value) => value instanceof File
    ? { file: value.name, type: value.type, hex: Buffer.from(await value.arrayBuffer()).toString('hex') }
    : value;
  const told = {};
  for (const [key, value] of Object.entries(req.body))
    told[key] = Array.isArray(value) ? await Promise.all(value.map(tell)) : await tell(value);
  return { told, prototype: String(Object.getPrototypeOf(req.body)), keys: Reflect.ownKeys(req.body) };
}`;

const files: Files = {
  'api/form.post.ts': module('post', `export default post(${tell});`),
};

const every = Buffer.from(Array.from({ length: 256 }, (_, index) => index));

served(files, (test, site) => {
  const post = (path: string, { type, body }: Typed) =>
    site.raw(path, { method: 'POST', body, headers: { 'content-type': type } });
  const told = async (form: Typed) => {
    const { status, text } = await post('/api/form', form);
    assert.is(status, 200, text);
    return (JSON.parse(text) as { told: unknown }).told;
  };
  test('fields are strings, and a repeated field is an array', async () => {
    const form = written(
      field('a', '1'),
      field('tag', 'x'),
      field('é', 'ü\r\n'),
      field('tag', ''),
      field('tag', 'z'),
    );
    assert.equal(await told(form), { a: '1', tag: ['x', '', 'z'], é: 'ü\r\n' });
  });

  test('a form without parts is an empty object without a prototype', async () => {
    const boundary = 'abc';
    const form = { type: `multipart/form-data; boundary="${boundary}"`, body: Buffer.from('--abc--\r\n') };
    assert.equal((await post('/api/form', form)).json, { told: {}, prototype: 'null', keys: [] });
  });

  test('files keep their bytes, their name in any script and their type', async () => {
    const form = new FormData();
    form.append('photo', new File([every], 'Ä "quoted" 図.png', { type: 'image/png' }));
    form.append('note', 'x');
    form.append('photo', new File([], 'empty.txt', { type: 'text/plain' }));
    assert.equal(await told(await encoded(form)), {
      photo: [
        { file: 'Ä "quoted" 図.png', type: 'image/png', hex: every.toString('hex') },
        { file: 'empty.txt', type: 'text/plain', hex: '' },
      ],
      note: 'x',
    });
  });

  test('a part with a file name is a file, whatever its type', async () => {
    const disposition = 'Content-Disposition: form-data; name="a"';
    assert.equal(await told(written([`${disposition}\nContent-Type: application/json`, '{}'])), { a: '{}' });
    assert.equal(await told(written([`${disposition}; filename=""`, ''])), {
      a: { file: '', type: 'text/plain', hex: '' },
    });
    assert.equal(await told(written([`${disposition}; filename*=UTF-8''na%C3%AFve.txt`, 'x'])), {
      a: { file: 'naïve.txt', type: 'text/plain', hex: '78' },
    });
  });

  test('file names lose their directories', async () => {
    for (const [sent, name] of [
      ['../../etc/passwd', 'passwd'],
      ['C:\\\\fakepath\\\\x.txt', 'x.txt'],
      ['/a/..', ''],
      ['a%22\\"b.txt', 'a""b.txt'],
    ] as const) {
      assert.equal(await told(written(file('a', sent, ''))), {
        a: { file: name, type: 'application/octet-stream', hex: '' },
      });
    }
  });

  test('content that resembles a boundary is content', async () => {
    const { type, body } = written(field('a', 'x'), file('b', 'b', '?'));
    const boundary = /boundary=(.*)/.exec(type)?.[1] ?? '';
    const content = `\r\n--${boundary.slice(0, -1)}\r\n--\r\n\r\n-${boundary}\n--${boundary}\r`;
    const at = body.indexOf('?');
    const form = {
      type,
      body: Buffer.concat([body.subarray(0, at), Buffer.from(content), body.subarray(at + 1)]),
    };
    assert.equal(await told(form), {
      a: 'x',
      b: { file: 'b', type: 'application/octet-stream', hex: Buffer.from(content).toString('hex') },
    });
  });

  test("a form larger than the stream's buffer in one chunk does not hang", async () => {
    for (const size of [16_384, 20_000, 40_000, 60_000]) {
      const bytes = randomBytes(size);
      const form = new FormData();
      form.append('photo', new File([bytes], 'photo.png', { type: 'image/png' }));
      const { photo } = (await told(await encoded(form))) as { photo: { hex: string } };
      assert.is(photo.hex, bytes.toString('hex'), String(size));
    }
  });

  test('prototype keys never reach a handler', async () => {
    const form = written(
      field('__proto__', '1'),
      field('a', '1'),
      file('constructor', 'x', 'x'),
      file('__proto__', 'x', 'x'),
      field('constructor', '1'),
    );
    const { json } = await post('/api/form', form);
    assert.equal((json as { keys: unknown }).keys, ['a']);
  });
});
