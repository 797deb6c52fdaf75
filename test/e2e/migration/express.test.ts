import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { repo } from '../../harness/installed.js';
import { linkLibraries } from '../../harness/libraries.js';
import { project } from '../../harness/project.js';
import { production } from '../../harness/settings.js';

// docs/recipes/from-express.md: migrates an Express application step by step. Its tests pass after each step.

/** Each step replaces and adds files of the step before. */
const STEPS = ['original', 'mounted', 'half', 'moved'] as const;
/** Files that the last step no longer has. */
const OF_EXPRESS = ['node_modules/express', 'server.js', 'app.js', 'sessions.js'];

// Tests of the application before the migration: requests as a browser sends them, with the responses.

/** A browser that follows no redirects, keeps cookies and sends the Origin of forms. */
function visitor(url: string) {
  const cookies = new Map<string, string>();
  return async (method: string, path: string, form?: Record<string, string>, more: object = {}) => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(cookie === '' ? {} : { cookie }),
        ...(method === 'GET' ? {} : { origin: url }),
        ...more,
      },
      ...(form && { body: new URLSearchParams(form) }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    return { status: response.status, location, text: await response.text(), headers: response.headers };
  };
}

const cases: Readonly<Record<string, (url: string) => Promise<void>>> = {
  async 'anonymous visitors are redirected to the form, which explains why, once'(url) {
    const ask = visitor(url);
    assert.is((await ask('GET', '/')).location, '/login');
    assert.is((await ask('GET', '/restricted')).location, '/login');
    assert.match((await ask('GET', '/login')).text, 'Access denied');
    assert.not.match((await ask('GET', '/login')).text, 'Access denied');
  },
  async 'a wrong password is reported'(url) {
    const ask = visitor(url);
    const refused = await ask('POST', '/login', { username: 'ada', password: 'no' });
    assert.equal([refused.status, refused.location], [302, '/login']);
    assert.match((await ask('GET', '/login')).text, 'Wrong name or password');
    assert.is((await ask('GET', '/restricted')).status, 302);
  },
  async 'the right password grants access until the logout'(url) {
    const ask = visitor(url);
    await ask('GET', '/restricted');
    const entered = await ask('POST', '/login', { username: 'ada', password: 'engine' });
    assert.equal([entered.status, entered.location], [302, '/restricted']);
    const welcome = await ask('GET', '/restricted');
    assert.equal([welcome.status, welcome.text], [200, 'Welcome, ada']);
    assert.match(welcome.headers.get('content-type') ?? '', 'text/html');
    assert.is((await visitor(url)('GET', '/restricted')).status, 302);
    assert.is((await ask('GET', '/logout')).location, '/');
    assert.is((await ask('GET', '/restricted')).location, '/login');
  },
};

const test = suite('migration from Express');
const made = project({}, 'js');
linkLibraries(made, 'express');

for (const step of STEPS)
  test(step, async () => {
    cpSync(path.join(repo, 'test/fixtures/moving', step), made.root, { recursive: true });
    const isMoved = step === 'moved';
    if (isMoved)
      for (const name of OF_EXPRESS) rmSync(path.join(made.root, name), { recursive: true, force: true });
    const entry = isMoved ? 'main.js' : 'server.js';
    const secret = `SESSION_SECRET=${'secret'.repeat(6)}`;
    const { url, child, end } = await production(made, entry, process.execPath, [secret]);
    try {
      for (const [title, asks] of Object.entries(cases))
        await asks(url).catch((thrown: Error) => {
          thrown.message = `${title}: ${thrown.message}`;
          throw thrown;
        });
      const version = await fetch(`${url}/api/version`);
      assert.is(version.status === 200, step !== 'original', 'the new route');
    } finally {
      child.kill('SIGTERM');
      await end;
    }
  });

test.run();
