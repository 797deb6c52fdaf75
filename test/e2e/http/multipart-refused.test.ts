import * as assert from 'uvu/assert';
import { connect } from '../../harness/http.js';
import { chunked, field, file, type Typed, written } from '../../harness/multipart.js';
import { pipelined } from '../../harness/pipelined.js';
import type { Files } from '../../harness/project.js';
import { served } from '../../harness/served.js';
import { configFile, module, route } from '../../harness/source.js';

const UNENDED = /ends before its last boundary/;

const files: Files = {
  'fwk.config.ts': configFile('{ http: { maxParts: 6, maxFiles: 2, maxFieldName: 20 } }'),
  'api/form.post.ts': route('post', '(req) => ({ keys: Object.keys(req.body) })'),
  'api/small.post.ts': module('post', 'export default post(() => {}).meta({ bodyLimit: 1000 });'),
};

served(files, (test, site) => {
  const post = (path: string, { type, body }: Typed) =>
    site.raw(path, { method: 'POST', body, headers: { 'content-type': type } });
  const refused = async (path: string, form: Typed, status: number, sentence: RegExp) => {
    const answer = await post(path, form);
    assert.is(answer.status, status, answer.text);
    assert.match(String(answer.headers['content-type']), /^application\/problem\+json\b/);
    assert.match((answer.json as { message: string }).message, sentence);
  };

  test('rejects a body over the limit with 413, with and without Content-Length', async () => {
    const exact = written(field('a', ''));
    const fill = (bytes: number) => written(field('a', 'x'.repeat(bytes - exact.body.length)));
    assert.is((await post('/api/small', fill(1000))).status, 204);
    await refused('/api/small', fill(1001), 413, /^The body is larger than the limit of 1000 bytes$/);
    for (const form of [fill(1001), written(file('a', 'x', 'x'.repeat(1000)))]) {
      const connection = await connect(site.dev.url);
      connection.send(chunked('/api/small', form, 100));
      assert.match(await connection.rest(), /^HTTP\/1\.1 413 [\s\S]*larger than the limit of 1000 bytes/);
    }
  });

  test('rejects too many parts, too many files and a long name with 413', async () => {
    const fields = (count: number) => Array.from({ length: count }, (_, index) => field('a', `${index}`));
    assert.is((await post('/api/form', written(...fields(6)))).status, 200);
    await refused('/api/form', written(...fields(7)), 413, /more than 6 parts/);
    await refused(
      '/api/form',
      written(file('a', 'a', ''), file('b', 'b', ''), file('c', 'c', '')),
      413,
      /more than 2 files/,
    );
    assert.is((await post('/api/form', written(field('é'.repeat(10), '')))).status, 200);
    await refused('/api/form', written(field(`${'é'.repeat(10)}x`, '')), 413, /longer than 20 bytes/);
    const head = `Content-Disposition: form-data; name="a"\nX-Filler: ${'x'.repeat(10_000)}`;
    await refused('/api/form', written([head, '']), 413, /headers of a part are longer than 8192 bytes/);
  });

  const type = 'multipart/form-data; boundary=abc';
  const disposition = 'Content-Disposition: form-data; name="a"';
  const malformed: Readonly<Record<string, readonly [type: string, body: string, sentence: RegExp]>> = {
    'a Content-Type without a boundary': ['multipart/form-data', '--abc--\r\n', /needs a boundary/],
    'a boundary that is too long': [
      `multipart/form-data; boundary=${'x'.repeat(71)}`,
      '',
      /needs a boundary/,
    ],
    'a body without the boundary': [type, 'hello', UNENDED],
    'a body that ends in a file': [type, `--abc\r\n${disposition}; filename="x"\r\n\r\nconte`, UNENDED],
    'a body that ends in a field': [type, `--abc\r\n${disposition}\r\n\r\nconte`, UNENDED],
    "a body that ends in a part's headers": [type, `--abc\r\n${disposition}`, UNENDED],
    'a body that ends after a boundary': [type, `--abc\r\n${disposition}\r\n\r\nx\r\n--abc\r\n`, UNENDED],
    'a part without headers': [
      type,
      `--abc\r\n--abc\r\n${disposition}\r\n\r\nx\r\n--abc--\r\n`,
      /no complete head/,
    ],
    'a last part without headers': [type, '--abc\r\nX: y\r\n--abc--\r\n', /no complete head/],
    'a part without Content-Disposition': [
      type,
      '--abc\r\nX: y\r\n\r\nx\r\n--abc--\r\n',
      /no Content-Disposition/,
    ],
    'a part with empty headers': [type, '--abc\r\n\r\nx\r\n--abc--\r\n', /no Content-Disposition/],
    'a part without a name': [
      type,
      '--abc\r\nContent-Disposition: form-data; filename="x"\r\n\r\nx\r\n--abc--\r\n',
      /with a name/,
    ],
    'a part with another disposition': [
      type,
      '--abc\r\nContent-Disposition: attachment; name="x"\r\n\r\nx\r\n--abc--\r\n',
      /no Content-Disposition of type form-data/,
    ],
    'an unterminated name': [
      type,
      '--abc\r\nContent-Disposition: form-data; name="x\r\n\r\nx\r\n--abc--\r\n',
      /bad Content-Disposition/,
    ],
    'two names': [
      type,
      '--abc\r\nContent-Disposition: form-data; name=x; name=y\r\n\r\nx\r\n--abc--\r\n',
      /bad Content-Disposition/,
    ],
  };
  for (const [name, [contentType, body, sentence]] of Object.entries(malformed)) {
    test(`rejects ${name} with 400`, async () => {
      await refused('/api/form', { type: contentType, body: Buffer.from(body || ' ') }, 400, sentence);
    });
  }

  test('the connection is clean after a rejection', async () => {
    const smuggled = 'POST /api/form HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(5_000);
    const form = written(...Array.from({ length: 7 }, () => field('a', '1')), field('b', smuggled));
    assert.equal(await pipelined(site.dev.url, '/api/form', form), [413, 404]);
  });

  test('an aborted upload leaves no error', async () => {
    const from = site.dev.output.mark();
    const { type, body } = written(file('a', 'x', 'x'.repeat(50_000)));
    const connection = await connect(site.dev.url);
    connection.send(
      `POST /api/form HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    await connection.read(/100 Continue/);
    connection.send(body.subarray(0, 20_000));
    connection.close();
    assert.equal((await post('/api/form', written(field('a', '1')))).json, { keys: ['a'] });
    assert.is(site.dev.output.all.slice(from), '');
  });
});
