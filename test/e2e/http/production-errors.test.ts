import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { production } from '../../harness/production.js';
import { type Files, layouts } from '../../harness/project.js';
import { route } from '../../harness/source.js';
import { THROWN, thrower } from './thrown.js';

const crash = `interface Row {\n  id: string;\n}\n${route('get', `(): Row => {\n  throw new Error('secret detail');\n}`)}`;

// Browsers get pages from web/; other clients get responses from api/.
const files: Files = {
  'api/fine.get.ts': route('get', '() => 1'),
  'api/crash.get.ts': crash,
  'web/crash.get.ts': crash,
  'api/thrown.ts': thrower,
  'web/thrown.ts': thrower,
  'api/coffee.ts': route('get, error', `() => { throw error(418, 'short and stout'); }`),
  'api/later.ts': route(`() => { setImmediate(() => { throw new Error('thrown much later'); }); return 1; }`),
};

/** JavaScript is the text without its types, on the same lines. */
const plain = (text: string) => text.replace(/interface Row \{\n.*\n\}/, '\n\n').replace('(): Row', '()');

for (const layout of layouts) {
  const test = suite<Record<string, never>>(layout, {});
  const written =
    layout === 'ts'
      ? files
      : { ...files, 'api/crash.get.ts': plain(crash), 'web/crash.get.ts': plain(crash) };
  const app = await production(written, undefined, { layout });
  test.after(() => app.stop());

  test('the client gets no details, and the log has one stack trace that points to the source', async () => {
    const { raw, output, project } = app;
    for (const [directory, accept] of [
      ['api', '*/*'],
      ['api', 'application/json'],
      ['api', 'text/html'],
      ['web', 'text/html'],
    ] as const) {
      const from = output.mark();
      const path = directory === 'api' ? '/api/crash' : '/crash';
      const { status, text, headers } = await raw(path, { headers: { accept } });
      assert.is(status, 500);
      assert.not.match(text, /secret|crash|\bat\b|\.ts/);
      const type = directory === 'web' ? 'text/html' : 'application/problem+json';
      assert.match(String(headers['content-type']), type);
      if (directory === 'api')
        assert.equal(JSON.parse(text), {
          status: 500,
          title: 'Internal Server Error',
          message: 'Something went wrong on the server',
        });
      const { 0: line } = await output.waitFor(/^\{.*secret detail.*\}\n/m, from);
      const { level, msg, err } = JSON.parse(line);
      assert.is(level, 'error');
      assert.match(msg, /^GET (\/api)?\/crash failed in \S+crash\.get\.js$/);
      const told = String(err.stack);
      const place = `${project.path(`${directory}/crash.get.ts`)}:6:9`;
      const below = place.slice(place.indexOf(`${directory}/crash`));
      assert.match(String(told.split('\n')[1]), layout === 'ts' ? place : below);
      assert.is(output.all.slice(from).split('"message":"secret detail"').length, 2);
    }
  });

  test('answers every thrown value without its content', async () => {
    const { raw } = app;
    for (const what of THROWN)
      for (const later of ['', '&later'])
        for (const [path, accept] of [
          ['/api/thrown', '*/*'],
          ['/api/thrown', 'text/html'],
          ['/thrown', 'text/html'],
        ] as const) {
          const { status, text } = await raw(`${path}?what=${what}${later}`, { headers: { accept } });
          assert.is(status, what === 'body' && path === '/thrown' ? 400 : 500, what);
          assert.not.match(text, /secret|inner|thrown/, what);
        }
    assert.is((await raw('/api/fine')).status, 200);
  });

  test('a 404 page lists no routes', async () => {
    const { text } = await app.raw('/fin', { headers: { accept: 'text/html' } });
    assert.match(text, '404 Not Found');
    assert.not.match(text, /fine|Near/);
  });

  test('an error outside a request ends the process, as in Node', async () => {
    const other = await production(written, undefined, { layout });
    await other.raw('/api/later').catch(() => {});
    const { status } = await other.end;
    assert.is(status, 1);
    const { all } = other.output;
    assert.match(all, /"level":"fatal".*"message":"thrown much later"/);
    assert.match(all, layout === 'ts' ? /at .*src\/api\/later\.ts:2:\d+/ : /at .*\/api\/later\.js:2:\d+/);
  });

  test('shows no details in a mode with another name', async () => {
    const other = await production(written, undefined, { layout, mode: 'staging' });
    const { text } = await other.raw('/crash', { headers: { accept: 'text/html' } });
    await other.stop();
    assert.match(text, '500 Internal Server Error');
    assert.not.match(text, /secret|crash/);
  });

  test('development mode shows the page for the compiled project, too', async () => {
    const other = await production(written, undefined, { layout, mode: 'development' });
    const { text } = await other.raw('/api/crash', { headers: { accept: 'text/html' } });
    await other.stop();
    assert.match(text, 'secret detail');
    assert.match(text, `${other.project.label('api/crash.get.ts')}:6:9`);
  });

  test.run();
}
