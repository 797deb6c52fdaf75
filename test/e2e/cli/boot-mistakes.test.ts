import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mistaken } from '../../harness/failed-start.js';
import { dev } from '../../harness/fwk.js';
import { casesIn, type Files, inLayout, layouts, project } from '../../harness/project.js';
import { assertReported, refusal } from '../../harness/refusal.js';
import { configFile, module, service, tells } from '../../harness/source.js';

const di = (text: string) => module('di', `export default di(${text});`);

/** Files, the file that is named (any if empty) and the words of the message. */
type Case = readonly [files: Files, file: string, ...words: string[]];

const providers: Readonly<Record<string, Case>> = {
  'two services that depend on each other': [
    {
      'services/a.ts': service('(ctx) => ({ b: ctx.b })'),
      'services/b.ts': service('(ctx) => ({ a: ctx.a })'),
    },
    'services/a.ts',
    'a → b → a',
  ],
  'a longer cycle, across await': [
    {
      'services/a.ts': service('async (ctx) => { await null; return ctx.b; }'),
      'services/b.ts': service('async (ctx) => { await null; return [ctx.c]; }'),
      'services/c.ts': service('async (ctx) => { await null; return [ctx.a]; }'),
    },
    'services/a.ts',
    'a → b → c → a',
  ],
  'a service that depends on itself': [
    { 'services/a.ts': service('(ctx) => [ctx.a]') },
    'services/a.ts',
    'a → a',
  ],
  'a singleton that reads a request-scoped value': [
    {
      'di/user.ts': di(`{ lifetime: 'request', value: () => 'me' }`),
      'services/mailer.ts': service('(ctx) => ({ from: ctx.user })'),
    },
    'services/mailer.ts',
    'is a singleton and reads ctx.user, which lives for one request.',
  ],
  'a service that throws': [
    { 'services/db.ts': service(`() => { throw new Error('no such host'); }`) },
    'services/db.ts',
    ':2: ',
    'no such host',
  ],
  'a service that throws an error with a cause': [
    {
      'services/db.ts': service(
        `() => { throw new Error('fetch failed', { cause: new AggregateError([new Error('connect ECONNREFUSED ::1:1')]) }); }`,
      ),
    },
    'services/db.ts',
    ':2: ',
    'fetch failed (connect ECONNREFUSED ::1:1).',
  ],
  'a service that misspells a key of ctx': [
    {
      'services/todos.ts': service('() => ({ list: () => [] })'),
      'services/report.ts': service('async ({ todoss }) => todoss.list()'),
      'services/mails.ts': service('async ({ smtp }) => smtp.send()'),
      'services/asks.ts': service(`(ctx) => { if (!ctx.cache) throw new Error('no such host'); }`),
    },
    'services/report.ts',
    ':2: ',
    `failed to create its value: Cannot read properties of undefined (reading 'list').`,
    `failed to create its value: Cannot read properties of undefined (reading 'send').`,
    // One may ask whether there is a key.
    'failed to create its value: no such host.',
  ],
  'a service that rejects': [
    { 'services/db.ts': service(`async () => { await null; throw new Error('no such host'); }`) },
    'services/db.ts',
    ':2: ',
    'no such host',
  ],
};

const config = (text: string): Files => ({
  'fwk.config.ts': configFile(`${text}`),
  'api/x.ts': tells('get', 'x'),
});

const configs: Readonly<Record<string, Case>> = {
  'an unknown key': [
    config('{ plugin: [] }'),
    'fwk.config.ts',
    'has an unknown key "plugin". Did you mean "plugins"?',
  ],
  'an unknown key without a similar name': [
    config('{ zzzz: 1 }'),
    'fwk.config.ts',
    'has an unknown key "zzzz". There are plugins, disable, disableUnsafe, http, ',
  ],
  'a wrong value': [
    config(`{ http: { bodyLimit: '1mb' }, log: { access: { paths: ['/healthz'] } } }`),
    'fwk.config.ts',
    '"log.access" must be true, false, or { skip } with a function that returns true for each line to skip; it is {"paths":["/healthz"]}.',
    '"http.bodyLimit" must be a whole number of bytes, at least 0; it is "1mb".',
  ],
  'an unknown option': [config('{ http: { bodyLimt: 1 } }'), 'fwk.config.ts', 'bodyLimt', '"bodyLimit"'],
  'an unknown plugin to disable': [
    config(`{ disable: ['htpp'] }`),
    'fwk.config.ts',
    'cannot disable "htpp": there is no such plugin. Did you mean "http"?',
  ],
  'a required plugin to disable': [
    config(`{ disable: ['http'] }`),
    'fwk.config.ts',
    'cannot disable "http": 22 plugins need it: "inspector", "api", "web", ',
  ],
  'an invalid plugin': [config('{ plugins: [1] }'), 'fwk.config.ts', 'plugins'],
  'a "disable" that is not a list': [config(`{ disable: 'api' }`), 'fwk.config.ts', 'disable', '"api"'],
  'no default export': [
    { 'fwk.config.ts': 'export const x = 1;', 'api/x.ts': '' },
    'fwk.config.ts',
    'default export',
  ],
  'a config that throws': [
    { 'fwk.config.ts': `throw new Error('no secret');`, 'api/x.ts': '' },
    'fwk.config.ts',
    'no secret',
  ],
  'a config that does not parse': [
    { 'fwk.config.ts': 'export default {', 'api/x.ts': '' },
    'fwk.config.ts',
    'parse',
  ],
};

for (const layout of layouts) {
  const test = suite(layout);
  for (const [name, [files, file, ...words]] of casesIn(layout, providers)) {
    test(name, async () => {
      const made = project({ 'api/x.ts': tells('get', 'x'), ...files }, layout);
      const stderr = await mistaken(made);
      assertReported(stderr, made, file, words[0]?.startsWith(':') ? words[0] : '');
      for (const word of words) assert.match(stderr, word);
    });
  }
  for (const [name, [files, file, ...words]] of casesIn(layout, configs)) {
    test(name, async () => {
      const made = project(files, layout);
      for (const stderr of [await refusal(made, 'routes'), await mistaken(made)]) {
        assert.match(stderr, inLayout(file, layout));
        for (const word of words) assert.match(stderr, word);
      }
    });
  }
  test('a request-scoped value that nothing reads at boot is no mistake of a singleton', async () => {
    const made = project(
      {
        'api/x.ts': tells('get', 'x'),
        'di/user.ts': di(`{ lifetime: 'request', value: (ctx) => [ctx.settings] }`),
        'di/settings.ts': di(`{ lifetime: 'singleton', value: 1 }`),
      },
      layout,
    );
    const server = await dev(made);
    const response = await server.fetch('/api/x');
    await server.stop();
    assert.is(response.status, 200);
  });
  test.run();
}
