import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev, fwk } from '../../harness/fwk.js';
import type { Output } from '../../harness/output.js';
import { tools } from '../../harness/packages.js';
import { production } from '../../harness/production.js';
import { type Files, type Project, project } from '../../harness/project.js';
import { module, route } from '../../harness/source.js';
import { compared, tsc } from '../../harness/tsc.js';

type Line = Readonly<Record<string, unknown>> & { readonly err?: Readonly<Record<string, unknown>> };

const files: Files = {
  'fwk.config.ts': "export default { log: { access: true, redact: ['iban'] } };\n",
  'api/users/[id].get.ts': route(
    `(req, res, ctx) => { ctx.logger.info({ password: 'hush' }, 'hello %s', 'you'); return 1; }`,
  ),
  'api/boom.get.ts': route('get', `() => { throw new Error('boom'); }`),
};
const PINO = `pino({ base: { by: 'pino' }, redact: ['password'] })`;

function link(made: Project): void {
  mkdirSync(path.join(made.root, 'node_modules'), { recursive: true });
  const real = path.join(tools(), 'node_modules/pino');
  symlinkSync(real, path.join(made.root, 'node_modules/pino'));
}

const linesOf = (output: Output): Line[] =>
  output.stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

/** Sends a request and checks the log lines of pino. */
async function logs(output: Output, writer: string, ask: (path: string) => Promise<unknown>): Promise<void> {
  await ask('/api/users/7');
  await ask('/api/boom');
  await output.waitFor(/"msg":"GET \/api\/boom 500"/);
  const lines = linesOf(output).filter(({ by }) => by === 'pino');
  const warned = lines.filter(({ level }) => level === 40);
  assert.equal(
    warned.map(({ code, msg }) => [code, msg]),
    [
      [
        'FWK214',
        `log.redact in the config only applies to fwk's own logger, but ${writer} replaces it. Configure that logger instead.`,
      ],
    ],
  );
  const hello = lines.find(({ msg }) => msg === 'hello you');
  assert.equal([hello?.level, hello?.password, hello?.route], [30, '[Redacted]', 'GET /api/users/:id']);
  const failed = lines.find(({ level }) => level === 50);
  assert.equal([failed?.err?.message, failed?.route], ['boom', 'GET /api/boom']);
  assert.match(String(failed?.err?.stack), /api\/boom\.get/);
  const seen = lines.filter(({ status }) => status !== undefined);
  assert.equal(
    seen.map(({ status, requestId }) => [status, typeof requestId]),
    [
      [200, 'string'],
      [500, 'string'],
    ],
  );
  assert.is(seen[0]?.requestId, hello?.requestId);
}

const test = suite('pino');

test('bootstrap({ logger }) receives every line in production', async () => {
  const main = `import { bootstrap } from 'fwkit';
import { pino } from 'pino';
console.log('serves', (await bootstrap({ host: 'localhost', port: 0, logger: ${PINO} }))[0]);
`;
  const app = await production({ ...files, 'main.ts': main }, link);
  await logs(app.output, 'the logger that was given', app.raw);
  await app.stop();
});

test('services/logger.ts receives every line in fwk dev, and ctx.logger has its type', async () => {
  const wrong: Files = {
    'api/typed.get.ts': module(
      'get',
      `export default get((_req, _res, ctx) => {
  const bound: object = ctx.logger.bindings();
  const none: number = ctx.logger.bindings(); //! TS2322
  return [bound, none];
});`,
    ),
    'lib/access.ts': module(
      'defineConfig',
      `const fails = ({ status }: { readonly status: number }) => status >= 400;
export const right = defineConfig({ log: { access: { skip: (line) => !fails(line) } } });
export const later = defineConfig({ log: { access: { skip: async () => true } } }); //! TS2322
export const text = defineConfig({ log: { access: { skip: ({ status }) => status.length === 3 } } }); //! TS2339
export const other = defineConfig({ log: { access: { paths: [] } } }); //! TS2353`,
    ),
  };
  const made = project({
    ...files,
    'services/logger.ts': `import { service } from 'fwkit';\nimport { pino } from 'pino';\nexport default service(() => ${PINO});\n`,
  });
  link(made);
  const server = await dev(made);
  // No warning is printed twice.
  made.write('api/more.get.ts', route('get', '() => 1'));
  await server.waitFor(/reloaded/);
  await logs(server.output, 'services/logger', server.fetch);
  await server.stop();
  for (const [file, text] of Object.entries(wrong)) made.write(file, text);
  for (const file of ['api/users/[id].get.ts', 'api/boom.get.ts', 'fwk.config.ts']) made.remove(file);
  assert.is((await fwk(made, 'types')).status, 0);
  assert.equal(compared(made, await tsc(made), wrong), { missing: [], surplus: [] });
});

test.run();
