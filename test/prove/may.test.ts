import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../harness/fwk.js';
import { type Files, project } from '../harness/project.js';
import { TSCONFIG } from '../harness/settings.js';
import { tsc } from '../harness/tsc.js';
import { filesIn, projectIn } from './project-text.js';

// `.meta({ may })`: `fwk build` fails if a route reaches anything else, and prints the way to it.

const test = suite('what a route may reach');

const shop: Files = {
  ...projectIn('shop'),
  // The compiler has no types of nodemailer, and `may` rejects computed keys.
  'tsconfig.json': TSCONFIG,
  'node_modules/nodemailer/index.d.cts': 'export declare const send: (to?: string) => void;\n',
  ...filesIn('web/anything.get.ts get(() => 1)'),
};

const build = async (text: string) => {
  const made = project({ ...shop, ...filesIn(text) });
  const { status, stderr } = await fwk(made, 'build');
  return { status, stderr: stderr.replaceAll(`${made.root}/`, '') };
};

test('the build fails and prints the path to a value that may does not list', async () => {
  const { status, stderr } = await build(`
lib/page.ts     export const page = (ctx: any) => ctx.mail.send() ?? ctx.catalogue.all(); export const home = () => process.env.HOME;
api/books/[id].get.ts import { home, page } from '../../lib/index.js';
  get((_req, _res, ctx) => [page(ctx), home()]).meta({ may: ['catalogue', 'database', 'log'] })
api/outside.get.ts import { list } from '../lib/index.js';
  get(() => [list(), fetch('http://localhost')]).meta({ may: ['log'] })
ws/books.ts     ws(({ ctx }) => void ctx.catalogue.all()).meta({ may: ['catalogue'] })
api/computed.get.ts get((_req, _res, ctx) => Reflect.get(ctx, 'mail')).meta({ may: ['log'] })
`);
  assert.is(status, 1);
  for (const line of [
    'src/api/books/[id].get.ts: GET /api/books/:id may not reach mail: route → src/lib/page.ts → ctx.mail → nodemailer. Remove it, or add "mail" to its may.',
    'GET /api/books/:id may not reach env:HOME: route → src/lib/page.ts → process.env.HOME. Remove it, or add "env:HOME" to its may.',
    'GET /api/outside may not reach node:child_process: route → src/lib/outside.ts → node:child_process.',
    'WS /ws/books may not reach database: route → ctx.catalogue → ctx.database → node:fs.',
    'GET /api/outside may not reach net: route → fetch.',
    'GET /api/computed may reach anything: route, at src/api/computed.get.ts:2, where ctx is passed to Reflect.get()',
  ])
    assert.match(stderr, line);
  assert.not.match(
    stderr,
    /:id may not reach (?:catalogue|database)|books may not reach catalogue|reach fs|logger/,
  );
});

test('a route within its may builds, and a value of ctx in may includes everything that its code reaches', async () => {
  const { status, stderr } = await build(`
api/books/[id].get.ts import { page } from '../../lib/page.js';
  get((_req, _res, ctx) => page(ctx)).meta({ may: ['catalogue', 'database', 'log'] })
api/outside.get.ts import { list } from '../lib/index.js';
  get(() => [list(), process.env.HOME, fetch('http://localhost')]).meta({ may: ['log', 'node:child_process', 'net', 'env:HOME'] })
`);
  assert.is(status, 0, stderr);
});

test('the may of a route covers its middlewares', async () => {
  const { status, stderr } = await build('api/plain.get.ts get(() => 1).meta({ may: [] })');
  assert.is(status, 1);
  assert.match(stderr, 'GET /api/plain may not reach log: src/middlewares/1.log.ts → ctx.log.');
});

test('a may that is not a list does not compile', async () => {
  const made = project({ ...shop, ...filesIn("api/plain.get.ts get(() => 1).meta({ may: 'log' })") });
  assert.is((await fwk(made, 'types')).status, 0);
  const [mistake] = await tsc(made);
  assert.is(mistake?.file, 'src/api/plain.get.ts');
  assert.match(mistake?.message ?? '', "Type 'string' is not assignable to type 'readonly (");
});

test.run();
