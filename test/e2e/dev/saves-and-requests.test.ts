import { setImmediate, setTimeout } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Dev, spawnDev } from '../../harness/fwk.js';
import { gate } from '../../harness/gate.js';
import { request } from '../../harness/http.js';
import { running as alone, sharing } from '../../harness/running.js';
import { reads, route, service, textRoute } from '../../harness/source.js';

/** Resolves when the path answers with this text; checks again after each reload that is reported after `from`. */
async function shows({ url, output }: Dev, path: string, expected: string, from: number): Promise<void> {
  for (let after = from; ; ) {
    if ((await request(url, path)).text === JSON.stringify(expected)) return;
    const { index, 0: text } = await output.waitFor(/reloaded .*\n/, after);
    after += index + text.length;
  }
}

const test = suite('saves and requests');
const running = sharing(test);

test('no request during 30 edits fails or gets an older version', () => {
  const shared = (version: number) => `export const version = ${version};`;
  const leaf = (version: number) => route('get', `() => ${version}`);
  const posted = (version: number) => route('post', `(req) => req.body.number === 7 && ${version}`);
  const kept = (version: number) => service(`async () => { await null; return ${version}; }`);
  const edits: readonly (readonly [path: string, file: string, text: (version: number) => string])[] = [
    ['/api/shared', 'lib/shared.ts', shared],
    ['/api/leaf', 'api/leaf.ts', leaf],
    ['/api/posted', 'api/posted.post.ts', posted],
    ['/api/kept', 'services/kept.ts', kept],
  ];
  const files = {
    ...Object.fromEntries(edits.map(([, file, text]) => [file, text(0)])),
    'api/shared.ts': `import { version } from '../lib/shared.js';\n${route('get', '() => version')}`,
    'api/kept.ts': reads('kept'),
  };
  return running(files, async ({ server, made }) => {
    let asking = true;
    const failures: string[] = [];
    const answered = new Map<string, number>();
    const ask = async (path: string) => {
      for (let last = 0; asking; answered.set(path, (answered.get(path) ?? 0) + 1)) {
        const sent =
          path === '/api/posted'
            ? { method: 'POST', body: '{ "number": 7 }', headers: { 'content-type': 'application/json' } }
            : {};
        const answer = await request(server.url, path, sent).catch((error: Error) => error.message);
        const version =
          typeof answer !== 'string' && answer.status === 200 ? Number(answer.text) : Number.NaN;
        if (!(version >= last)) failures.push(`${path} after ${last}: ${Object(answer).text ?? answer}`);
        else last = version;
      }
    };
    const requests = edits.flatMap(([path]) => [ask(path), ask(path)]);
    try {
      for (let version = 1; version <= 30; version++) {
        const [, file = '', text] = edits[version % edits.length] ?? [];
        const from = server.output.mark();
        made.write(file, text?.(version) ?? '');
        await server.waitFor(/reloaded /, from);
      }
    } finally {
      asking = false;
      await Promise.all(requests);
    }
    assert.equal(failures, []);
    for (const [path] of edits) assert.ok((answered.get(path) ?? 0) > 30, path);
  });
});

test('a request during a reload waits for the new version', async () => {
  const held = await gate();
  const files = { 'services/pool.ts': service(`() => 'old'`), 'api/pool.ts': reads('pool') };
  await running(files, async ({ server, made }) => {
    made.write('services/pool.ts', service(`async () => { await fetch('${held.url}'); return 'new'; }`));
    await held.reached();
    const requests = Array.from({ length: 20 }, () => request(server.url, '/api/pool'));
    held.open();
    for (const { text } of await Promise.all(requests)) assert.is(text, '"new"');
  });
  held.close();
});

test('a request waits for a save that begins during an earlier reload', async () => {
  const held = await gate();
  const files = { 'services/pool.ts': service(`() => 'old'`), 'api/x.ts': textRoute('1') };
  await running(files, async ({ server, made }) => {
    const from = server.output.mark();
    made.write('services/pool.ts', service(`async () => { await fetch('${held.url}'); return 'new'; }`));
    await held.reached();
    // An empty file is about to be written: the watcher waits for its text.
    made.write('api/x.ts', '');
    await setImmediate();
    await setImmediate();
    held.open();
    await server.waitFor(/reloaded .*\n/, from);
    made.write('api/x.ts', textRoute('2'));
    assert.is((await request(server.url, '/api/x')).text, '"2"');
  });
  held.close();
});

test('a blocked process reports no save before it knows what changed', () => {
  const busy = `() => setTimeout(() => { for (const end = Date.now() + 2_300; Date.now() < end; ); }, 30) && 'soon'`;
  const files = { 'api/busy.ts': route('get', busy), 'api/x.ts': textRoute('1') };
  return alone(
    files,
    async ({ server, made }) => {
      await request(server.url, '/api/busy');
      const from = server.output.mark();
      // Its text is waited for.
      made.write('api/x.ts', '');
      await setTimeout(500);
      made.write('api/x.ts', textRoute('2'));
      await shows(server, '/api/x', '2', from);
      assert.not.match(server.output.all.slice(from), 'still serving');
    },
    spawnDev,
  );
});

test('a save during a reload is served after it', async () => {
  const held = await gate();
  const files = {
    'services/pool.ts': service(`() => 'old'`),
    'api/pool.ts': reads('pool'),
    'api/x.ts': textRoute('1'),
  };
  await running(files, async ({ server, made }) => {
    const from = server.output.mark();
    const waiting = service(`async () => { await fetch('${held.url}'); return 'new'; }`);
    made.write('services/pool.ts', waiting);
    await held.reached();
    made.write('api/x.ts', textRoute('2'));
    made.write('services/pool.ts', service(`() => 'newest'`));
    held.open();
    await shows(server, '/api/pool', 'newest', from);
    await shows(server, '/api/x', '2', from);
  });
  held.close();
});

test.run();
