import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mistaken } from '../../harness/failed-start.js';
import { dev, fwk } from '../../harness/fwk.js';
import { linkLibraries } from '../../harness/libraries.js';
import { project as bare, type Files, type Layout, layouts } from '../../harness/project.js';
import { refusal } from '../../harness/refusal.js';
import { compared, tsc } from '../../harness/tsc.js';

const SECRET = 'hunter22&"x';
const env = (members: string): string => `import { env, secret } from 'fwkit';
import * as z from 'zod';
export default env(z.object({ ${members} }));
`;
const SHOP = env(
  'DATABASE_URL: secret(z.url()), MAX_ITEMS: z.number(), DEBUG: z.boolean().default(false), NOTE: z.string().optional()',
);
const READER = `import { get } from 'fwkit';
import env from '../env.js';
export default get((req, res, ctx) => ({ same: ctx.env === env, env: { ...ctx.env } }));
`;

function project(files: Files, layout?: Layout) {
  const made = bare(files, layout);
  linkLibraries(made);
  return made;
}

for (const layout of layouts) {
  const test = suite(layout);

  test('names every missing and invalid variable once, and no value', async () => {
    const made = project(
      {
        'env.ts': env(
          "URL_OF_SHOP: z.url(), KEY: secret(z.string()), MAX: z.number(), EMPTY: z.string(), MODE: z.enum(['a'])",
        ),
        'api/a.ts': READER,
        'services/reader.ts':
          "import { service } from 'fwkit';\nimport env from '../env.js';\nexport default service(() => env);\n",
        '.env': `MAX=${SECRET}\nMODE=bad-mode\nEMPTY=\n`,
      },
      layout,
    );
    const stderr = await mistaken(made);
    const [head, first, ...rest] = stderr.split('\n');
    assert.is(head, `1 problem in ${made.root}:`);
    assert.match(
      String(first),
      `FWK217 ${made.label('env.ts')}:3: The environment does not match the schema: URL_OF_SHOP, KEY, EMPTY are missing; MAX is invalid (`,
    );
    assert.match(
      String(first),
      /; MODE is invalid \(.*\)\. Set the variables in \.env, or in the environment of the process\.$/,
    );
    assert.is(rest[0], 'Read more: npx fwk docs FWK217');
    assert.not.match(stderr, 'hunter22');
    assert.not.match(stderr, 'bad-mode');
  });

  test('is not checked by fwk routes and fwk build, which run on other machines', async () => {
    const made = project(
      {
        'env.ts': SHOP,
        'api/a.ts': READER,
        'fwk.config.ts':
          "import env from './env.js';\nexport default { http: { bodyLimit: env.MAX_ITEMS } };\n",
      },
      layout,
    );
    for (const command of ['routes', 'types']) {
      const { status, stderr } = await fwk(made, command);
      assert.equal([status, stderr], [0, '']);
    }
    await mistaken(made);
  });

  test('fwk types writes the names to .env.example, and keeps what is there', async () => {
    const made = project(
      {
        'env.ts': SHOP,
        'api/a.ts': READER,
        '.env.example': '# Postgres\nDATABASE_URL=postgres://localhost\n# NOTE=\n',
      },
      layout,
    );
    assert.is((await fwk(made, 'types')).status, 0);
    const text = '# Postgres\nDATABASE_URL=postgres://localhost\n# NOTE=\nMAX_ITEMS=\nDEBUG=\n';
    assert.is(made.read('.env.example'), text);
    assert.is((await fwk(made, 'types')).status, 0);
    assert.is(made.read('.env.example'), text);
  });

  test('refuses another export, a schema without names, and a lost secret', async () => {
    const reports = async (text: string): Promise<string> =>
      refusal(project({ 'env.ts': text, 'api/a.ts': READER, '.env': 'KEY=1\n' }, layout), 'routes');
    assert.match(await reports('export const KEY = 1;\n'), 'FWK218');
    assert.match(
      await reports("import { env } from 'fwkit';\nexport default env({ KEY: 1 });\n"),
      'env() needs a schema of an object',
    );
    assert.match(await reports(env('KEY: secret(z.string()).optional()')), 'Write secret() outermost');
    assert.match(
      await reports(env('KEY: z.string().refine(async () => true)')),
      'env() needs a schema without asynchronous checks',
    );
  });

  test('fwk doctor names variables that only the code or only the schema has', async () => {
    const made = project(
      {
        'env.ts': env('USED: z.string().optional(), UNUSED: z.string().optional()'),
        'api/a.ts': `import { get } from 'fwkit';\nexport default get((req, res, ctx) => [ctx.env.USED, process.env.OTHER, process.env.NODE_ENV]);\n`,
      },
      layout,
    );
    const { stdout } = await fwk(made, 'doctor');
    assert.match(
      stdout,
      `${made.label('api/a.ts')}:2: reads process.env.OTHER, which the schema in ${made.label('env.ts')} does not have`,
    );
    assert.match(stdout, `${made.label('env.ts')}: requires UNUSED, which no other module reads`);
    assert.not.match(stdout, /process\.env\.NODE_ENV|requires USED/);
  });

  test.run();
}

const edited = suite('dev');

edited('ctx.env has the converted values, and follows .env', async () => {
  const files = {
    'env.ts': SHOP,
    'api/a.ts': READER,
    '.env': 'DATABASE_URL=https://db.example\nMAX_ITEMS=3\n',
  };
  const made = project(files);
  const server = await dev(made);
  const json = async (): Promise<unknown> => (await server.fetch('/api/a')).json();
  const values = { DATABASE_URL: 'https://db.example', MAX_ITEMS: 3, DEBUG: false };
  assert.equal(await json(), { same: true, env: values });
  const { length } = server.output.stdout;
  made.write('.env', 'DATABASE_URL=https://db.example\nMAX_ITEMS=4\nDEBUG=true\n');
  await server.waitFor(/\.env/, length);
  assert.equal(await json(), { same: true, env: { ...values, MAX_ITEMS: 4, DEBUG: true } });
  await server.stop();
});

edited('a secret is neither in logs nor in error pages', async () => {
  const secretUrl = 'postgres://ada:hunter22@db.example/?a=1&b=2';
  const files = {
    'env.ts': SHOP,
    '.env': `DATABASE_URL=${secretUrl}\nMAX_ITEMS=3\n`,
    'api/a.ts': `import { get } from 'fwkit';
export default get((req, res, ctx) => {
  ctx.logger.info({ connection: { to: ctx.env.DATABASE_URL } }, 'connects to ' + ctx.env.DATABASE_URL);
  throw new Error('cannot connect to ' + ctx.env.DATABASE_URL);
});
`,
  };
  const server = await dev(project(files));
  for (const accept of ['text/html', 'application/json', 'text/plain']) {
    const text = await (await server.fetch('/api/a', { headers: { accept } })).text();
    assert.match(text, 'cannot connect to [redacted]');
    assert.not.match(text, 'hunter22');
  }
  await server.output.waitFor(/connects to \[redacted\]/);
  const page = await (
    await server.fetch('/_fwk/requests.json', { headers: { accept: 'application/json' } })
  ).text();
  assert.not.match(page, 'hunter22');
  assert.not.match(server.output.stdout + server.output.stderr, 'hunter22');
  await server.stop();
});

edited.run();

const types = suite('types');

types('ctx.env and the import are typed by the schema', async () => {
  const made = project({
    'env.ts': SHOP,
    'api/a.ts': `import { get } from 'fwkit';
import env from '../env.js';
export default get((_req, _res, ctx) => {
  const url: string = ctx.env.DATABASE_URL;
  const max: number = env.MAX_ITEMS;
  const note: string | undefined = ctx.env.NOTE;
  return [url, max, note];
});
`,
  });
  const wrong = {
    'api/b.ts': `import { env as check, get, secret } from 'fwkit';
import * as z from 'zod';
import env from '../env.js';
env.MAX_ITEMS = 4; //! TS2540
check({ KEY: 1 }); //! TS2353
check(z.string()); //! TS2345
secret('KEY'); //! TS2345
export default get((_req, _res, ctx) => [
  ctx.env.MAX, //! TS2339
  ctx.env.MAX_ITEMS.toUpperCase(), //! TS2339
]);
`,
  };
  for (const [name, text] of Object.entries(wrong)) made.write(name, text);
  assert.is((await fwk(made, 'types')).status, 0);
  assert.equal(compared(made, await tsc(made), wrong), { missing: [], surplus: [] });
});

types.run();
