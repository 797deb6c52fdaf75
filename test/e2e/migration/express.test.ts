import { cpSync, existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { launch } from '../../harness/fwk.js';
import { repo } from '../../harness/installed.js';
import { linkLibraries } from '../../harness/libraries.js';
import { type Project, project } from '../../harness/project.js';

// docs/recipes/from-express.md: an application in Express, step by step to one without it. Its tests pass at each step.

/** Each step replaces and adds files of the step before. */
const STEPS = ['original', 'mounted', 'half', 'moved'] as const;
/** Files that the last step no longer has. */
const OF_EXPRESS = ['server.js', 'app.js', 'sessions.js', 'controllers'];

// Tests of the application before the migration: requests as a browser sends them, with the responses.

type Suite = Readonly<Record<string, (url: string) => Promise<void>>>;

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

const auth: Suite = {
  async 'strangers are sent to the form, which says why, once'(url) {
    const ask = visitor(url);
    assert.is((await ask('GET', '/')).location, '/login');
    assert.is((await ask('GET', '/restricted')).location, '/login');
    assert.match((await ask('GET', '/login')).text, 'Access denied');
    assert.not.match((await ask('GET', '/login')).text, 'Access denied');
  },
  async 'a wrong password is told'(url) {
    const ask = visitor(url);
    const refused = await ask('POST', '/login', { username: 'ada', password: 'no' });
    assert.equal([refused.status, refused.location], [302, '/login']);
    assert.match((await ask('GET', '/login')).text, 'Wrong name or password');
    assert.is((await ask('GET', '/restricted')).status, 302);
  },
  async 'the right one lets in, until the logout'(url) {
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

const mvc: Suite = {
  async 'lists and pages'(url) {
    const ask = visitor(url);
    assert.is((await ask('GET', '/')).location, '/users');
    assert.match((await ask('GET', '/users')).text, '<a href="/user/1">Bob</a>');
    assert.match((await ask('GET', '/user/0')).text, /<h1>Ada<\/h1>[\s\S]*Rex/);
    assert.match((await ask('GET', '/user/0/edit')).text, 'value="Ada"');
    assert.match((await ask('GET', '/pet/0')).text, 'The pet Rex');
    assert.match((await ask('GET', '/style.css')).headers.get('content-type') ?? '', 'text/css');
  },
  async 'names change by forms'(url) {
    const ask = visitor(url);
    assert.is((await ask('POST', '/user/1?_method=put', { 'user[name]': '<Bo>' })).location, '/user/1');
    assert.match((await ask('GET', '/user/1')).text, '<h1>&#60;Bo&#62;</h1>');
    assert.is((await ask('POST', '/pet/1?_method=put', { 'pet[name]': 'Kit' })).location, '/pet/1');
    assert.match((await ask('GET', '/pet/1/edit')).text, 'value="Kit"');
    assert.is((await ask('POST', '/user/0/pet', { 'pet[name]': 'Max' })).location, '/user/0');
    assert.match((await ask('GET', '/user/0')).text, '<a href="/pet/2">Max</a>');
  },
  async 'what is not there is a page, too'(url) {
    for (const path of ['/user/9', '/pet/9/edit', '/nowhere']) {
      const { status, text } = await visitor(url)('GET', path);
      assert.equal([status, text], [404, `<h1>There is nothing at ${path}</h1>\n`]);
    }
  },
};

const test = suite('moving in from Express');

for (const [name, cases] of Object.entries({ auth, mvc }))
  test(`${name}, at each step`, async () => {
    const made = project({}, 'js');
    linkLibraries(made, 'express');
    for (const step of STEPS) {
      const folder = path.join(repo, 'test/fixtures/moving', name, step);
      assert.ok(existsSync(folder), folder);
      cpSync(folder, made.root, { recursive: true });
      const isMoved = step === 'moved';
      if (isMoved) without(made, 'node_modules/express', ...OF_EXPRESS);
      await served(made, isMoved ? 'main.js' : 'server.js', async (url) => {
        for (const [title, asks] of Object.entries(cases))
          await asks(url).catch((thrown: Error) => {
            thrown.message = `${name}, ${step}, ${title}: ${thrown.message}`;
            throw thrown;
          });
        const version = await fetch(`${url}/api/version`);
        assert.is(version.status === 200, step !== 'original', `${name}, ${step}: what is new`);
      });
    }
  });

function without(made: Project, ...names: string[]): void {
  for (const name of names) rmSync(path.join(made.root, name), { recursive: true, force: true });
}

async function served(made: Project, entry: string, act: (url: string) => Promise<void>): Promise<void> {
  const secret = `SESSION_SECRET=${'secret'.repeat(6)}`;
  const variables = ['PORT=0', 'HOST=127.0.0.1', secret];
  const { child, output, end } = launch('/usr/bin/env', [...variables, process.execPath, entry], made.root);
  try {
    const [, url = ''] = await output.waitFor(/listening on (\S+)\//i);
    await act(url);
  } catch (failure) {
    console.error(output.all);
    throw failure;
  } finally {
    child.kill('SIGTERM');
    await end;
  }
}

test.run();
