import { createServer } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk, launch } from '../../harness/fwk.js';
import { listening } from '../../harness/http.js';
import { type Files, layouts, project } from '../../harness/project.js';
import { assertReported, refusal } from '../../harness/refusal.js';
import { createApp } from '../../harness/settings.js';
import { connectSocket } from '../../harness/socket.js';
import { configFile, module, route, wsModule } from '../../harness/source.js';
import { tsc } from '../../harness/tsc.js';

const test = suite('projects');
const echo = wsModule('({ send, onMessage }) => onMessage((message) => { send(message); })');

for (const layout of layouts)
  test(`mistakes are reported with their file: ${layout}`, async () => {
    const made = project(
      {
        'ws/none.ts': 'export const x = 1;',
        'ws/bare.ts': 'export default () => {};',
        'ws/http.ts': route('get', '() => 1'),
        'ws/chat.get.ts': echo,
        'ws/twice.ts': echo,
        'ws/twice/index.ts': echo,
        'ws/clash.ts': echo,
        'web/ws/clash.get.ts': route('get', '() => 1'),
        'ws/[bad.ts': echo,
      },
      layout,
    );
    const stderr = await refusal(made, 'routes');
    const wrapped = 'Wrap the handler in ws(), or move an HTTP route to api/ or web/.';
    for (const [file, sentence] of [
      ['ws/none.ts', 'has no default export. Export a handler wrapped in ws().'],
      ['ws/bare.ts', `has a default export that is not wrapped. ${wrapped}`],
      ['ws/http.ts', 'exports get(), which is for files in api/ or web/. Move the file there, '],
      ['ws/chat.get.ts', 'is a socket, which has no method. Remove ".get" from its name.'],
      ['ws/twice/index.ts', `serves WS /ws/twice, which ${made.label('ws/twice.ts')} serves too.`],
      ['ws/clash.ts', `serves WS /ws/clash, which ${made.label('web/ws/clash.get.ts')} serves too.`],
      ['ws/[bad.ts', 'has an invalid path segment "[bad"'],
    ] as const)
      assertReported(stderr, made, file, sentence);
  });

test('options are checked', async () => {
  const config = (text: string): Files => ({
    'fwk.config.ts': configFile(`{ ws: ${text} }`),
  });
  for (const [text, reported] of [
    ['{ maxPayload: 0 }', '"ws.maxPayload" must be a whole number of bytes, at least 1; it is 0.'],
    [`{ origins: ['shop.example'] }`, '"ws.origins" must be a list of origins'],
    ['{ hearbeat: 1 }', 'has an unknown key "ws.hearbeat". Did you mean "heartbeat"?'],
  ] as const)
    assert.match(await refusal(project(config(text)), 'routes'), reported);
});

test('parameters and messages are typed', async () => {
  const made = project({
    'ws/rooms/[room].ts': `import { sse, ws, type Socket } from 'fwkit';
      export default ws<'/ws/rooms/:room'>(({ params, send, publish, onMessage, onJson, onClose, ctx }) => {
        const room: string = params.room;
        // @ts-expect-error: there is no such parameter
        params.other;
        onMessage((message) => { send(typeof message === 'string' ? message.length : message.byteLength); });
        // @ts-expect-error: it comes from outside
        onJson((value) => value.text);
        onClose(({ code, reason }) => ctx.logger.info(reason, code.toFixed()));
        // @ts-expect-error: JSON has no text for a function
        send(() => 1); send(undefined);
        publish(room, { a: 1 }, { self: false });
      });
      export const other = ({ params }: Socket<'/ws/rooms/:room'>) => params.room;
      export const events = sse<'/ws/rooms/:room'>(async ({ params, send }) => { await send(params.room, { id: '1' }); });
    `,
    'tsconfig.json': '{}',
  });
  assert.is((await fwk(made, 'types')).status, 0);
  assert.equal(await tsc(made), []);
});

/** Starts a project in production and reports whether its process has loaded the package \`ws\`. */
async function loads(files: Files): Promise<boolean> {
  const made = project(
    {
      ...files,
      'main.ts': `import { bootstrap } from 'fwkit';
        import { createRequire } from 'node:module';
        const [url] = await bootstrap({ host: 'localhost', port: 0 });
        await fetch(url + 'api/x');
        const { cache } = createRequire(import.meta.url);
        console.log('loaded:', Object.keys(cache).some((file) => /node_modules.ws.lib./.test(file)));`,
    },
    'js',
  );
  const { child, output, end } = launch(process.execPath, ['main.js'], made.root);
  const [, loaded] = await output.waitFor(/^loaded: (\w+)$/m);
  child.kill('SIGTERM');
  await end;
  return loaded === 'true';
}

test('only a project with ws/ loads the package "ws"', async () => {
  const files = { 'api/x.ts': route('get', '() => 1') };
  assert.is(await loads({ ...files, 'ws/echo.ts': echo }), true);
  assert.is(await loads(files), false);
  const off = configFile(`{ disable: ['ws'] }`);
  assert.is(await loads({ ...files, 'ws/echo.ts': echo, 'fwk.config.ts': off }), false);
});

test('inside another server: app.upgrade', async () => {
  const made = project({ 'ws/echo.ts': echo, 'main.ts': '' }, 'js');
  const app = await createApp(made, '.');
  const server = createServer(app.listener);
  const url = await listening(server);
  const unwired = await fetch(`${url}/ws/echo`);
  assert.is(unwired.status, 426);
  server.on('upgrade', app.upgrade);
  const peer = await connectSocket(url, '/ws/echo');
  assert.is(await peer.send('hi').next(), 'hi');
  await app.close();
  assert.is((await peer.closed)[0], 1001);
  server.close();
});

test('fwk build records sockets, and production imports them on their first handshake', async () => {
  const made = project({
    'ws/rooms/[room].ts': module(
      'ws',
      `console.log('[imported]');\nexport default ws(({ params, send }) => { send(params.room); });`,
    ),
    'main.ts': `import { bootstrap } from 'fwkit';\nconsole.log('listening on', (await bootstrap({ host: 'localhost', port: 0 })).join());`,
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        target: 'es2022',
        module: 'nodenext',
        rootDir: 'src',
        outDir: 'dist',
        types: ['node'],
        strict: true,
        skipLibCheck: true,
      },
      include: ['src', '.fwk/**/*'],
    }),
  });
  const built = await fwk(made, 'build');
  assert.is(built.status, 0, built.stdout + built.stderr);
  const { child, output, end } = launch(process.execPath, ['dist/main.js'], made.root);
  const [, url = ''] = await output.waitFor(/listening on (\S+)/);
  assert.not.match(output.all, /\[imported\]/);
  const peer = await connectSocket(url, '/ws/rooms/a');
  assert.is(await peer.next(), 'a');
  assert.match(output.all, /\[imported\]/);
  child.kill('SIGTERM');
  assert.is((await peer.closed)[0], 1001);
  assert.is((await end).status, 0);
});

test.run();
