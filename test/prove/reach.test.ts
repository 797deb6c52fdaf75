import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../harness/fwk.js';
import { project } from '../harness/project.js';
import { shop } from './reach-project.js';

// fwk reach: what each route can touch, told from outside.

const test = suite('fwk reach');

const reach = async (...words: string[]) => {
  const made = project(shop);
  const { status, stdout, stderr } = await fwk(made, 'reach', ...words);
  return { status, stderr, lines: stdout.trimEnd().split('\n') };
};

test('each route is one line: what it reaches, whoever calls it', async () => {
  const { status, lines, stderr } = await reach();
  assert.is(status, 0, stderr);
  assert.equal(lines, [
    'GET /  ctx catalogue database log logger  env DATABASE  node fs  templates home layout',
    'GET /.well-known/oauth-protected-resource  ctx log logger tokens',
    'GET /.well-known/oauth-protected-resource/mcp  ctx log logger tokens',
    'GET /anything  ctx *  env DATABASE MAIL_URL  packages nodemailer  node fs  net fetch  cannot be followed: src/web/anything.get.ts:3',
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

test('of one route, all is told: where its services are, and what each reaches itself', async () => {
  const { lines } = await reach('POST', '/api/books');
  assert.equal(lines, [
    'POST /api/books  src/api/books.post.ts',
    '  passes src/middlewares/1.log.ts',
    '  passes src/api/_middleware.ts',
    '  ctx.catalogue  src/services/catalogue.ts  ctx database',
    '  ctx.database  src/services/database.ts  env DATABASE  node fs',
    '  ctx.log  src/services/log.ts  ctx logger',
    '  ctx.logger',
    '  ctx.mail  src/services/mail.ts  env MAIL_URL  packages nodemailer',
    '  ctx.member  src/di/member.ts',
    '  in all  env DATABASE MAIL_URL  packages nodemailer  node fs',
  ]);
  const lost = await reach('/anything');
  assert.is(
    lost.lines.at(-1),
    '  cannot be followed: src/web/anything.get.ts:3, where ctx is read by a computed name',
  );
});

test('as JSON, with the place of what cannot be followed', async () => {
  const { lines } = await reach('--json', 'src/web/anything.get.ts');
  const { version, routes } = JSON.parse(lines.join('\n'));
  assert.is(version, 1);
  assert.is(routes.length, 1);
  assert.equal(routes[0].lost, [
    { file: 'src/web/anything.get.ts', line: 3, why: 'ctx is read by a computed name' },
  ]);
  assert.equal(routes[0].packages, ['nodemailer']);
});

test('a part of a name is enough; one that nothing has leads to the nearest', async () => {
  const books = await reach('books/');
  assert.equal(
    books.lines.map((line) => line.split('  ')[0]),
    ['GET /api/books/:id', 'RESOURCE books://{id}'],
  );
  const { status, stderr } = await reach('/api/boks');
  assert.is(status, 2);
  assert.match(stderr, 'there is no route /api/boks. The nearest: /api/books');
});

test.run();
