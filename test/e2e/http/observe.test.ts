import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tcp } from '../../harness/http.js';
import { project } from '../../harness/project.js';
import { MAIN, production } from '../../harness/settings.js';
import { postRoute, route } from '../../harness/source.js';

const CONFIG = `
import { channel, subscribe } from 'node:diagnostics_channel';
import { defineConfig } from 'fwkit';
import { addFallback, observeRequests } from 'fwkit/http';

globalThis.seen = [];
globalThis.channels = [];
globalThis.waiting = [];
const note = (list, line) => {
  list.push(line);
  for (const look of globalThis.waiting) look();
};
subscribe('fwk.request.start', ({ raw }) => note(globalThis.channels, \`> \${raw.url}\`));
subscribe('fwk.request.error', ({ raw, error, route }) => note(globalThis.channels, \`! \${raw.url} \${error.message} \${route.kind}\`));
subscribe('fwk.request.end', ({ raw, status }) => note(globalThis.channels, \`< \${raw.url} \${status}\`));

export default defineConfig({
  http: { bodyLimit: 10 },
  plugins: [
    {
      name: 'watcher',
      apply(hooks) {
        hooks.resolve.tapPromise('watcher', async (routes, project) => {
          observeRequests(project, () => {
            throw new Error('an observer of no use');
          });
          observeRequests(project, (exchange) => () => {
            const { raw, route, status, isAborted, error, duration } = exchange;
            const where = route ? route.path : '-';
            const how = isAborted ? 'aborted' : status;
            const why = error ? ' ' + error.message : '';
            note(globalThis.seen, \`\${raw.method} \${raw.url} \${where} \${how}\${why}\${duration > 0 ? '' : ' no time'}\`);
          });
          return routes;
        });
        hooks.serve.tapPromise('watcher', async ({ project }) => {
          addFallback(project, ({ path }) => {
            if (path === '/outside') throw new Error('no route');
            return false;
          });
        });
      },
    },
  ],
});
`;

const made = project(
  {
    'main.ts': MAIN,
    'fwk.config.ts': CONFIG,
    'public/a.txt': 'a',
    'api/users/[id].ts': route('get', '({ params }) => params.id'),
    'api/fails.ts': route('get', '() => { throw new Error("broken"); }'),
    'api/takes.ts': route('post', '({ body }) => body'),
    'api/hangs.ts': route('get', '() => new Promise(() => {})'),
    'api/seen.ts': postRoute(`({ body }) => new Promise((resolve) => {
        const look = () => globalThis.seen.length >= body && resolve([globalThis.seen, globalThis.channels]);
        globalThis.waiting.push(look);
        look();
      })`),
  },
  'js',
);

const test = suite('observing requests');

test('reports each request once, with its route, status and error', async () => {
  const { url, child, end } = await production(made, 'main.js');
  try {
    const ask = async (path: string, init?: RequestInit) => (await fetch(url + path, init)).text();
    await ask('/api/users/7?x=1');
    await ask('/api/nowhere');
    await ask('/a.txt');
    await ask('/api/fails');
    await ask('/outside');
    await ask('/api/takes', { method: 'POST', body: 'x'.repeat(20) });
    const leaver = await tcp(url);
    leaver.write('GET /api/hangs HTTP/1.1\r\nHost: a\r\n\r\n', () => leaver.end());
    const answer = await fetch(`${url}/api/seen`, {
      method: 'POST',
      body: '7',
      headers: { 'content-type': 'application/json' },
    });
    const [seen, channels] = (await answer.json()) as [string[], string[]];
    assert.equal([...seen].sort(), [
      'GET /a.txt - 200',
      'GET /api/fails /api/fails 500 broken',
      'GET /api/hangs /api/hangs aborted',
      'GET /api/nowhere - 404',
      'GET /api/users/7?x=1 /api/users/:id 200',
      'GET /outside - 500 no route',
      'POST /api/takes /api/takes 413',
    ]);
    assert.equal(channels.slice(0, 4), [
      '> /api/users/7?x=1',
      '< /api/users/7?x=1 200',
      '> /api/nowhere',
      '< /api/nowhere 404',
    ]);
    assert.equal(
      channels.filter((line) => line.startsWith('!')),
      ['! /api/fails broken api', '! /outside no route none'],
    );
  } finally {
    child.kill('SIGTERM');
  }
  const { stdout } = await end;
  assert.is(stdout.match(/An observer of requests failed/g)?.length, 8);
});

test.run();
