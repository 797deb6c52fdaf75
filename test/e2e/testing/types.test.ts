import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { linkLibraries } from '../../harness/libraries.js';
import { project } from '../../harness/project.js';
import { sampled } from '../../harness/sample.js';
import { compared, compilers, tsc, unreported } from '../../harness/tsc.js';

const right = `import { createTestApp, type TestApp, type TestSocket, testClock } from 'fwkit/testing';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const is = <_ extends true>(): void => {};

export async function use(app: TestApp, path: string): Promise<void> {
  const room = await app.ws('/ws/rooms/tea?as=ada', { headers: { a: 'b' }, protocols: ['chat'] });
  is<Same<typeof room, TestSocket<{ text: string }, { text: string; at: string }>>>();
  room.send({ text: 'hello' });
  const { text, at } = await room.next();
  for await (const message of room) is<Same<typeof message, { text: string; at: string }>>();
  const { code, reason } = await room.close(4000, text + at);
  const lobby = await app.ws('/ws/rooms/lobby');
  is<Same<Awaited<ReturnType<typeof lobby.next>>, unknown>>();
  lobby.send('anything');
  const some = await app.visitor({ headers: { authorization: 'x' } }).ws(path);
  some.send(code + reason);
  const news = await app.sse('/api/news', { lastEventId: '7', signal: AbortSignal.timeout(5) });
  const event = await news.next();
  if (event.event === 'price') is<Same<typeof event.data, { cents: number }>>();
  for await (const { data } of await app.sse('/elsewhere')) is<Same<typeof data, unknown>>();
  const called = await app.mcp.callTool('add', { a: 1 }, { headers: { authorization: 'Bearer x' } });
  is<Same<typeof called.text, string>>();
  const [failure] = app.errors;
  is<Same<typeof failure, { readonly message: string; readonly error: unknown } | undefined>>;
  is<Same<Awaited<ReturnType<typeof count>>, number>>();
  async function count() {
    return app.run((ctx) => ctx.notes.length);
  }
  const clock = testClock('2030-01-01');
  await createTestApp({ clock, logger: false, overrides: { notes: ['a'] } });
  await clock.advance('8 days');
  await clock.advance('1.5 h');
  await clock.advance(250);
}
`;

const wrong = {
  'wrong.ts': `import { type TestApp, createTestApp, testClock } from 'fwkit/testing';

export async function use(app: TestApp): Promise<void> {
  await app.ws('/ws/romms/tea'); //! TS2345 // to parameter of type '"/ws/
  await app.ws('/api/news'); //! TS2345
  const room = await app.ws('/ws/rooms/tea');
  room.send({ txt: 'hello' }); //! TS2353 TS2561
  room.send('hello'); //! TS2345
  (await room.next()).said; //! TS2339
  await app.ws('/ws/rooms/tea', { header: {} }); //! TS2353 TS2561
  await app.sse('/api/news', { lastEventId: 7 }); //! TS2322
  const event = await (await app.sse('/api/news')).next();
  event.event === 'prise'; //! TS2367
  await app.mcp.callTool({ name: 'add' }); //! TS2345
  app.errors.push(); //! TS2339
  await createTestApp({ clock: Date }); //! TS2739 TS2740 TS2741 TS2322
  await createTestApp({ logger: true }); //! TS2322
  await createTestApp({ overrides: { notes: [1] } }); //! TS2322
  await createTestApp({ overrides: { nots: [] } }); //! TS2353 TS2561
  const clock = testClock();
  await clock.advance('8 dayz'); //! TS2345
  await clock.advance('days'); //! TS2345
  app.visitor({ header: {} }); //! TS2353 TS2561
}
`,
};

const made = project({
  'use.ts': right,
  ...wrong,
  'services/notes.ts': `import { service } from 'fwkit';\nexport default service((): string[] => []);\n`,
  'ws/rooms/[room].ts': `import { ws } from 'fwkit';
import { z } from 'zod';
export default ws(
  { params: z.object({ room: z.string() }), receive: z.object({ text: z.string() }), send: z.object({ text: z.string(), at: z.date() }) },
  () => {},
);
`,
  'ws/rooms/lobby.ts': `import { ws } from 'fwkit';\nexport default ws(() => {});\n`,
  'api/news.get.ts': `import { sse } from 'fwkit';
import { z } from 'zod';
export default sse({ events: { price: z.object({ cents: z.number() }), note: z.string() } }, () => {});
`,
});
linkLibraries(made);

const test = suite('types of fwkit/testing');
test('fwk types', async () => {
  assert.is((await fwk(made, 'types')).status, 0);
});
for (const [version, compiler] of sampled(Object.entries(compilers)))
  test(`TypeScript ${version}`, async () => {
    const diagnostics = await tsc(made, compiler());
    const { missing, surplus } = compared(made, diagnostics, wrong);
    assert.equal([missing, surplus], [[], []], JSON.stringify(diagnostics, null, 1));
    assert.equal(unreported(diagnostics, wrong), []);
  });
test.run();
