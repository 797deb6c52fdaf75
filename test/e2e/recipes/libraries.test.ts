import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev } from '../../harness/fwk.js';
import { listening } from '../../harness/http.js';
import { section } from '../../harness/recipe.js';
import { production } from '../../harness/settings.js';

// Sections of docs/recipes/libraries.md, each with its real library.

const test = suite('recipes with other libraries');

const json = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

test('TypeBox: validation, converted text and OpenAPI', async () => {
  const made = await section('TypeBox', ['typebox'], {
    'fwk.config.ts': 'export default { openapi: { serve: true } };\n',
  });
  const app = await production(made);
  try {
    const ask = (body: unknown) => fetch(`${app.url}/api/reviews?notify=true`, json(body));
    assert.equal(await (await ask({ by: 'ada', rating: 3 })).json(), { stars: '***', notify: true });
    const refused = await ask({ rating: 9 });
    assert.is(refused.status, 422);
    const { errors } = (await refused.json()) as { errors: { path: string[]; message: string }[] };
    assert.equal(errors.map(({ path }) => path.join('.')).sort(), ['', 'rating'], JSON.stringify(errors));
    const document = JSON.stringify(await (await fetch(`${app.url}/openapi.json`)).json());
    assert.match(document, '"rating":{"type":"integer","maximum":5}');
  } finally {
    await app.stop();
  }
});

test('GraphQL: a query with variables, and an invalid query', async () => {
  const app = await production(await section('GraphQL', []));
  try {
    const query = 'query ($name: String!) { hello(name: $name) }';
    const ask = (body: unknown) => fetch(`${app.url}/graphql`, json(body));
    const answer = await ask({ query, variables: { name: 'Ada' } });
    assert.equal([answer.status, await answer.json()], [200, { data: { hello: 'Hello Ada' } }]);
    const got = await fetch(`${app.url}/graphql?query=${encodeURIComponent('{ hello(name: "Ada") }')}`);
    assert.equal(await got.json(), { data: { hello: 'Hello Ada' } });
    assert.match(await (await ask({ query: '{ nothing }' })).text(), 'Cannot query field');
    assert.is((await fetch(`${app.url}/graphql`, { method: 'PUT', body: '{}' })).status, 405);
  } finally {
    await app.stop();
  }
});

test('mails: a preview on the dev page', async () => {
  const made = await section('Mails', ['nodemailer', '@types/nodemailer'], {
    'api/welcome.post.ts':
      "import { post } from 'fwkit';\nexport default post((_req, _res, { mails }) => mails.send({ to: 'ada@example.com', subject: 'Hello', text: 'Welcome' }));\n",
  });
  const server = await dev(made);
  try {
    assert.is((await server.fetch('/api/welcome', { method: 'POST' })).status, 204);
    const shown = await (await server.fetch('/_fwk/tables?title=Mails')).text();
    assert.match(shown, '["ada@example.com","Hello","Welcome"]');
  } finally {
    await server.stop();
  }
});

test('Sentry: an unexpected error reaches the server, with its route', async () => {
  const envelopes: string[] = [];
  const sentry = createServer(async (req, res) => {
    envelopes.push(await text(req.headers['content-encoding'] === 'gzip' ? req.pipe(createGunzip()) : req));
    res.end('{}');
  });
  const address = await listening(sentry);
  const made = await section('Sentry', ['@sentry/node'], {
    'api/boom.get.ts':
      "import { get } from 'fwkit';\nexport default get(() => { throw new RangeError('boom'); });\n",
    'api/gone.get.ts':
      "import { error, get } from 'fwkit';\nexport default get(() => { throw error(410); });\n",
    'api/crash.get.ts':
      "import { get } from 'fwkit';\nexport default get(() => { setImmediate(() => { throw new RangeError('crash'); }); return 1; });\n",
  });
  const dsn = `SENTRY_DSN=${address.replace('://', '://key@')}/1`;
  const app = await production(made, 'dist/main.js', process.execPath, [dsn]);
  try {
    assert.is((await fetch(`${app.url}/api/gone`)).status, 410);
    assert.is((await fetch(`${app.url}/api/boom`)).status, 500);
    const received = async (message: string) => {
      while (!envelopes.join().includes(`"value":"${message}"`)) await setImmediate();
      return envelopes.join('\n');
    };
    assert.match(await received('boom'), '"route":"GET /api/boom"');
    assert.match(envelopes.join(), '"type":"RangeError"');
    assert.is(envelopes.join().match(/"exception":/g)?.length, 1, 'error(410) is no exception');
    await fetch(`${app.url}/api/crash`);
    await received('crash');
    const { status, stderr } = await app.end;
    assert.is(status, 1, stderr);
  } finally {
    app.child.kill('SIGKILL');
    sentry.close().closeAllConnections();
  }
});

test.run();
