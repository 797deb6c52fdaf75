import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../harness/fwk.js';
import { type Files, project } from '../harness/project.js';
import { filesIn, projectIn, readSections } from './project-text.js';

// The output of `fwk reach`: the values, packages and modules that each route can use.

const test = suite('fwk reach');

const reach = async (files: Files, ...words: string[]) => {
  const { status, stdout, stderr } = await fwk(project(files), 'reach', ...words);
  return { status, stderr, stdout, lines: stdout.trimEnd().split('\n') };
};
const shop = projectIn('shop');

test('each route is one line, for every protocol', async () => {
  const { status, lines, stderr } = await reach(shop);
  assert.is(status, 0, stderr);
  assert.equal(lines, [
    'GET /  ctx catalogue database log logger  env DATABASE  node fs  templates home layout',
    'GET /.well-known/oauth-protected-resource  ctx log logger tokens',
    'GET /.well-known/oauth-protected-resource/mcp  ctx log logger tokens',
    'GET /anything  ctx *  env DATABASE MAIL_URL  packages nodemailer  node fs  net fetch  cannot be followed: src/web/anything.get.ts:3, where ctx is read by a computed name',
    'POST /api/books  ctx catalogue database log logger mail member  env DATABASE MAIL_URL  packages nodemailer  node fs',
    'GET /api/books/:id  ctx catalogue database log logger  env DATABASE  node fs',
    'GET /api/outside  ctx log logger  node child_process  net fetch',
    'GET /api/plain  ctx log logger',
    'MCP /mcp  ctx log logger tokens',
    'WS /ws/books  ctx catalogue database log logger  env DATABASE  node fs',
    'RESOURCE books://{id}  ctx catalogue database log logger tokens  env DATABASE  node fs',
    'JOB clean  ctx database  env DATABASE  node fs',
    'TOOL postBooks  ctx catalogue database log logger mail member tokens  env DATABASE MAIL_URL  packages nodemailer  node fs',
    'TOOL search  ctx catalogue database log logger tokens  env DATABASE  node fs',
  ]);
});

test('a part of a name is enough, and an unknown name is an error', async () => {
  const { lines } = await reach(shop, 'books/');
  assert.equal(
    lines.map((line) => line.split('  ')[0]),
    ['GET /api/books/:id', 'RESOURCE books://{id}'],
  );
  const { status, stderr } = await reach(shop, '/api/boks');
  assert.is(status, 2);
  assert.match(stderr, 'there is no route /api/boks.');
});

test('JSON lists the inputs of guards and the places that cannot be followed', async () => {
  const guard = `middleware((req, res, ctx, next) => { if (ctx.member !== 'letmein') throw error(403); return next(); })`;
  const files = { ...shop, ...filesIn(`api/_middleware.ts ${guard}`) };
  const { version, routes } = JSON.parse((await reach(files, '--json')).stdout);
  assert.is(version, 2);
  const of = (file: string) => routes.find((one: { file: string }) => one.file === `src/${file}`);
  const [place] = of('web/anything.get.ts').lost;
  assert.equal([place.file, place.line], ['src/web/anything.get.ts', 3]);
  const { file, ctx, headers, texts } = of('api/plain.get.ts').guards.at(-1);
  assert.equal([file, ctx, headers], ['src/api/_middleware.ts', ['member'], ['x-member']]);
  assert.ok(texts.includes('letmein'));
});

test('every way to read a value', async () => {
  const sections = readSections('reach');
  const { lines } = await reach(filesIn([...sections.values()].join('')));
  assert.equal(lines, [...sections.keys()].slice(1).sort(byPath));
});

/** Reports are sorted by path. */
const byPath = (one: string, other: string): number => {
  const [a = '', b = ''] = [one, other].map((line) => line.split(' ')[1]);
  return a < b ? -1 : 1;
};

test.run();
