import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../harness/fwk.js';
import { type Files, project } from '../harness/project.js';
import { TSCONFIG } from '../harness/settings.js';
import { tsc } from '../harness/tsc.js';
import { shop } from './reach-project.js';

// .meta({ may }): fwk build fails where a route reaches more, and tells the way.

const test = suite('what a route may reach');

const get = (handler: string, may: string, imports = '') =>
  `import { get } from 'fwkit';\n${imports}export default get((_req, _res, ctx) => ${handler}).meta({ may: ${may} });\n`;

const build = async (files: Files) => {
  const made = project({ ...shop, ...BUILDABLE, ...files });
  const { status, stderr } = await fwk(made, 'build');
  return { status, stderr: stderr.replaceAll(`${made.root}/`, '') };
};

// What the compiler cannot know without types of nodemailer, or will not have.
const BUILDABLE: Files = {
  'tsconfig.json': TSCONFIG,
  'node_modules/nodemailer/index.d.cts': 'export declare const send: (to?: string) => void;\n',
  'web/anything.get.ts': "import { get } from 'fwkit';\nexport default get(() => 1);\n",
};

test('what is not in it is told with the way to it, and fails the build', async () => {
  const { status, stderr } = await build({
    'lib/page.ts':
      'export const page = (ctx: any) => ctx.mail.send() ?? ctx.catalogue.all();\nexport const home = () => process.env.HOME;\n',
    'api/books/[id].get.ts': get(
      '[page(ctx), home()]',
      "['catalogue', 'database', 'log']",
      "import { home, page } from '../../lib/index.js';\n",
    ),
    'api/outside.get.ts': get(
      '[list(), fetch("http://localhost")]',
      "['log', 'catalog']",
      "import { list } from '../lib/index.js';\n",
    ),
    'ws/books.ts':
      "import { ws } from 'fwkit';\nexport default ws(({ ctx }) => void ctx.catalogue.all()).meta({ may: ['catalogue'] });\n",
    'api/computed.get.ts': get("Reflect.get(ctx, 'mail')", "['log']"),
  });
  assert.is(status, 1);
  for (const line of [
    'src/api/books/[id].get.ts: GET /api/books/:id may not reach mail: route → lib/page.ts → ctx.mail → nodemailer. Take it out, or add "mail" to its may.',
    'GET /api/books/:id may not reach process.env.HOME: route → lib/page.ts → process.env.HOME. Take it out, or add "env:HOME" to its may.',
    'GET /api/outside may not reach node:child_process: route → lib/outside.ts → node:child_process.',
    'WS /ws/books may not reach database: route → ctx.catalogue → ctx.database → node:fs.',
    'GET /api/outside may not reach the network: route → fetch.',
    'GET /api/outside may reach "catalog", which is neither a value of ctx',
    'Did you mean "catalogue"?',
    'GET /api/computed may reach anything: route, at src/api/computed.get.ts:2, where ctx is handed to what is called here',
  ])
    assert.match(stderr, line);
  for (const silent of [
    'may not reach catalogue',
    ':id may not reach database',
    'may not reach files',
    'logger',
  ])
    assert.not.match(stderr, silent);
});

test('what all is in it builds, and a value of ctx stands for what its own code does', async () => {
  const { status, stderr } = await build({
    'api/books/[id].get.ts': get(
      'page(ctx)',
      "['catalogue', 'database', 'log']",
      "import { page } from '../../lib/page.js';\n",
    ),
    'api/outside.get.ts': get(
      '[list(), process.env.HOME, fetch("http://localhost")]',
      "['log', 'node:child_process', 'net', 'env:HOME']",
      "import { list } from '../lib/index.js';\n",
    ),
  });
  assert.is(status, 0, stderr);
});

test('a middleware counts as the route', async () => {
  const { status, stderr } = await build({ 'api/plain.get.ts': get('1', '[]') });
  assert.is(status, 1);
  assert.match(stderr, 'GET /api/plain may not reach log: middlewares/1.log.ts → ctx.log.');
});

test('a may that is no list does not compile', async () => {
  const made = project({ ...shop, ...BUILDABLE, 'api/plain.get.ts': get('1', "'log'") });
  assert.is((await fwk(made, 'types')).status, 0);
  const [told] = await tsc(made);
  assert.is(told?.file, 'src/api/plain.get.ts');
  assert.match(told?.message ?? '', "Type 'string' is not assignable to type 'readonly (");
});

test.run();
