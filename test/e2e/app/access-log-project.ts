import { createRequire } from 'node:module';
import type { Files } from '../../harness/project.js';
import { module, route } from '../../harness/source.js';

const EXPRESS = createRequire(import.meta.url).resolve('express');
/** Leaves some lines out, and fails at others. */
export const SKIP = `({ path, status }) => {
  if (path.includes('skip=throws')) throw new Error('cannot tell');
  if (path.includes('skip=rejects')) return Promise.reject(new Error('cannot tell either'));
  return path.includes('skip=yes') || status === 410;
}`;
/** An app that is served twice: alone behind a proxy, and at /shop in Express. */
export const files: Files = {
  'fwk.config.ts': `export default {
  log: { access: { skip: ${SKIP} } }, http: { requestIds: true, trustProxy: 1 }, compression: { threshold: 0 },
};\n`,
  'main.ts': `import { bootstrap, createApp } from 'fwkit';
import express from ${JSON.stringify(EXPRESS)};
const app = await createApp({ http: { requestIds: true } });
const around = express().use('/shop', app.middleware).listen(0, '127.0.0.1', async () => {
  console.log('around http://127.0.0.1:' + around.address().port);
  console.log('serves', (await bootstrap({ host: '127.0.0.1', port: 0 }))[0]);
});
process.once('SIGTERM', () => around.close());
`,
  'middlewares/user.ts': module(
    'middleware',
    `import { noteRequest } from 'fwkit/http';
    export default middleware((req, res, ctx, next) => {
      if (req.header('authorization')) noteRequest(req, { user: 'tj' });
      return next();
    });`,
  ),
  'public/a.txt': 'a file',
  'api/text.ts': route('get', '() => "größer"'),
  'api/bytes.ts': route('get', '(req, res) => { res.type("text/plain"); return Buffer.alloc(70_000, "b"); }'),
  'api/empty.ts': route('get', '() => undefined'),
  'api/gone.ts': route('get, error', '() => { throw error(410, "gone"); }'),
  'api/fails.ts': route('get', '() => { throw new Error("broken"); }'),
  'api/by-hand.ts': route('get', '(req, { raw }) => { raw.write("one"); raw.end("two"); }'),
  'api/lasts.ts': route(`() => (async function* () {
      yield 'a'.repeat(300);
      await new Promise((go) => setTimeout(go, 60));
      yield 'b';
    })()`),
  'api/hangs.ts': route('() => (async function* () { yield "begun"; await new Promise(() => {}); })()'),
  'api/waits.ts': route('get', '(req, res, ctx) => new Promise(() => ctx.logger.info("waits"))'),
  'api/echo.ts': route('post', '({ body }) => body'),
};
