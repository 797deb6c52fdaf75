import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ended, start } from '../../harness/fwk.js';
import { production } from '../../harness/production.js';
import { module, postRoute, route } from '../../harness/source.js';

type Line = Readonly<Record<string, unknown>> & { readonly err?: Readonly<Record<string, unknown>> };

const files = {
  'fwk.config.ts': `export default { log: { access: true, redact: ['iban'] }, http: { requestIds: true } };\n`,
  'public/a.txt': 'a',
  'api/users/[id].get.ts': route(`(req, res, ctx) => {
      const circle = { big: 1n, get bad() { throw new Error('no'); } };
      circle.self = circle;
      ctx.logger.info({ deep: [{ password: 'hush', myIban: 'hush' }], circle, long: 'x'.repeat(100_000) }, 'hello %s', 'you');
      ctx.logger.warn('a text', { detail: 1, apiKey: 'hush' }, new Error('beside it'));
      ctx.logger.debug('hush');
      return 1;
    }`),
  'api/boom.get.ts': route(
    `() => { throw Object.assign(new Error('boom', { cause: new Error('why') }), { code: 'E1', token: 'hush' }); }`,
  ),
  'api/slow.get.ts': route('get', '(req, res, ctx) => new Promise(() => ctx.logger.info("waits"))'),
  'api/crash.post.ts': postRoute('() => { setTimeout(() => { throw new Error("much later"); }); return 1; }'),
};

const test = suite('logging');

test('every line is JSON with its request and without secrets, and the access log has every response', async () => {
  const app = await production(files);
  const lines = (): Line[] =>
    app.output.stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const headers = { 'x-request-id': 'mine-1', traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
  const answer = await app.raw('/api/users/7?x=1&access_token=hush', { headers });
  assert.is(answer.headers['x-request-id'], 'mine-1');
  const other = await app.raw('/api/boom', {
    headers: { 'x-request-id': '../a', traceparent: `00-${traceId}-0-01` },
  });
  assert.match(String(other.headers['x-request-id']), /^[\da-f-]{36}$/);
  assert.match(String((await app.raw('/nowhere')).headers['x-request-id']), /^[\da-f-]{36}$/);
  await app.raw('/api/boom', { method: 'POST' });
  await app.raw('/a.txt');
  const gone = new AbortController();
  const slow = fetch(new URL('/api/slow', app.url), { signal: gone.signal }).catch(() => {});
  await app.output.waitFor(/"waits"/);
  gone.abort();
  await slow;
  await app.output.waitFor(/"aborted":true/);
  await app.raw(`/?${'x'.repeat(20_000)}`);
  await app.output.waitFor(/HPE_HEADER_OVERFLOW/);

  assert.not.match(app.output.all, 'hush');
  const [listening, hello, beside] = lines();
  assert.is(listening?.msg, `Listening on ${app.url}/`);
  assert.is(hello?.msg, 'hello you');
  assert.equal([hello?.requestId, hello?.route, hello?.traceId], ['mine-1', 'GET /api/users/:id', traceId]);
  assert.equal(hello?.circle, { big: '1', bad: '[throws: no]', self: '[circular]' });
  assert.ok(JSON.stringify(hello).length < 16_384);
  assert.equal([beside?.level, beside?.msg, beside?.err?.message], ['warn', 'a text', 'beside it']);
  assert.equal(beside?.details, [{ detail: 1, apiKey: '[redacted]' }]);
  const failed = lines().find(({ level }) => level === 'error');
  assert.equal([failed?.err?.code, (failed?.err?.cause as Line)?.message], ['E1', 'why']);
  assert.is(failed?.traceId, undefined);
  const seen = lines().filter(({ status }) => status !== undefined);
  assert.equal(
    seen.map(({ path, status }) => `${path ?? ''} ${status}`),
    [
      '/api/users/7?x=1&access_token=[redacted] 200',
      '/api/boom 500',
      '/nowhere 404',
      '/api/boom 405',
      '/a.txt 200',
      '/api/slow 499',
      ' 431',
    ],
  );
  assert.is(seen[1]?.requestId, failed?.requestId);

  // The response arrives before the crash.
  assert.is((await app.raw('/api/crash', { method: 'POST' })).status, 200);
  assert.is((await app.end).status, 1);
  const fatal = lines().find(({ level }) => level === 'fatal');
  assert.is(fatal?.err?.message, 'much later');
});

test('a custom logger gets every line, and an invalid level is rejected', async () => {
  const app = await production({
    ...files,
    'services/logger.ts': module(
      'service',
      `const make = (bound) => ({
          child: (fields) => make({ ...bound, ...fields }),
          ...Object.fromEntries(['trace', 'debug', 'info', 'warn', 'error', 'fatal'].map((level) => [level,
            (fields, text) => console.log('OWN', level, bound.route, text ?? fields, fields.err?.message)])),
        });
        export default service(() => make({}));`,
    ),
  });
  await app.raw('/api/boom');
  await app.output.waitFor(/OWN error GET \/api\/boom GET \/api\/boom failed in api\/boom\.get\.js boom/);
  await app.output.waitFor(/OWN info undefined GET \/api\/boom 500/);
  await app.stop();
  app.project.write('.env', 'LOG_LEVEL=loud\n');
  const program = [process.execPath, app.project.path('main.ts')];
  // In a file that the app reads, and where the process has it from its start.
  for (const variables of [[], ['LOG_LEVEL=loud']]) {
    const wrong = start('/usr/bin/env', [...variables, ...program], app.project.root);
    const { status, stderr } = await ended(wrong, 'node main.js');
    assert.is(status, 1);
    assert.match(
      stderr,
      /^FWK204 LOG_LEVEL is "loud", which is not a level\. Set it to trace, debug, info, warn, error, fatal, silent\./,
    );
  }
});

test.run();
