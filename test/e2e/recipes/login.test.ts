import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withPostgres } from '../../harness/postgres.js';
import { recipe } from '../../harness/recipe.js';
import { startLogin } from './start-login.js';

// docs/recipes/login.md, built and served as in production: a visitor signs up, looks at the account, leaves and comes back.

const test = suite('the recipe of a login');

const ADA = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' };

test('sign up, a guarded route, sign out, sign in', async () => {
  const { app, origin, stop } = await startLogin(await recipe('login'));

  let cookie = '';
  const ask = async (method: string, path: string, sent?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(app.url + path, {
      method,
      headers: {
        ...(sent !== undefined && { 'content-type': 'application/json' }),
        cookie,
        origin,
        ...headers,
      },
      ...(sent !== undefined && { body: typeof sent === 'string' ? sent : JSON.stringify(sent) }),
    });
    const set = response.headers.getSetCookie();
    if (set.length > 0) cookie = set.map((one) => one.split(';')[0]).join('; ');
    const text = await response.text();
    return { status: response.status, set, json: text.startsWith('{') ? JSON.parse(text) : text };
  };

  try {
    assert.is((await ask('GET', '/api/account')).status, 401);
    assert.is((await ask('GET', '/api/account/no-such-path')).status, 401);

    const signedUp = await ask('POST', '/api/auth/sign-up/email', ADA);
    assert.is(signedUp.status, 200, JSON.stringify(signedUp.json));
    assert.match(signedUp.set.join('\n'), /session_token=.*; HttpOnly; SameSite=Lax/);
    const account = await ask('GET', '/api/account');
    assert.equal([account.status, account.json.email], [200, ADA.email]);
    assert.is((await ask('GET', '/api/auth/get-session')).json.user.name, 'Ada');

    // A page of somebody else: to better-auth, and to a route of the app.
    const evil = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    assert.is((await ask('POST', '/api/auth/sign-out', undefined, evil)).status, 403);
    assert.is((await ask('POST', '/api/account', {}, evil)).status, 403);

    const before = cookie;
    assert.is((await ask('POST', '/api/auth/sign-out', undefined)).status, 200);
    assert.is((await ask('GET', '/api/account')).status, 401);
    // The old cookie is no longer valid.
    assert.is((await ask('GET', '/api/account', undefined, { cookie: before })).status, 401);

    const wrong = await ask('POST', '/api/auth/sign-in/email', { ...ADA, password: 'wrong horse battery' });
    assert.is(wrong.status, 401);
    assert.is((await ask('POST', '/api/auth/sign-in/email', ADA)).status, 200);
    assert.is((await ask('GET', '/api/account')).json.name, 'Ada');

    // Attempts are counted by the socket's address, regardless of the client's headers.
    const tries: number[] = [];
    for (const at of [1, 2, 3, 4])
      tries.push(
        (
          await ask(
            'POST',
            '/api/auth/sign-in/email',
            { ...ADA, password: 'no' },
            { 'x-forwarded-for': `9.9.9.${at}` },
          )
        ).status,
      );
    assert.is(tries.at(-1), 429, tries.join());

    // Malformed requests.
    const odd: [status: number, method: string, path: string, sent?: string, type?: string][] = [
      [413, 'POST', '/api/auth/sign-in/email', `{"email":"${'x'.repeat(100_000)}"}`],
      [405, 'PUT', '/api/auth/sign-in/email', '{}'],
      [404, 'GET', '/api/auth/no/such/path'],
      [415, 'POST', '/api/auth/sign-up/email', '--x--', 'multipart/form-data; boundary=x'],
    ];
    for (const [status, method, path, sent, type = 'application/json'] of odd)
      assert.is(
        (await ask(method, path, sent, { 'content-type': type })).status,
        status,
        `${method} ${path}`,
      );
  } finally {
    await stop();
  }
});

const tests = withPostgres(test);
tests.run();
