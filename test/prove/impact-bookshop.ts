import { copyFileSync, existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'oxc-parser';
import { type Node, walk } from '../../packages/prove/facts/syntax.js';
import type { TestApp } from '../../testkit/index.js';
import { copyOf } from '../examples/example.js';
import type { Project } from '../harness/project.js';
import { createTestApp } from '../harness/testing.js';
import { type Answers, type Edit, type Trial, tryEdits } from './impact-trial.js';
import { random } from './random.js';

/** Who asks is given from outside: an edit of the login must not change who the others are. */
const VISITORS = [
  undefined,
  { id: 2, email: 'bob@example.com', name: 'Bob', admin: false },
  { id: 1, email: 'ada@example.com', name: 'Ada', admin: true },
];

/** What shapes the data, or makes the app itself. */
const APART = /^(lib\/(seed|schema|passwords|sql)|main|fwk\.config|policy|di\/(visitor|login))/;

type Request = readonly [method: string, path: string, body?: object];

/** What only reads comes first: what the others store must not be its answer. */
const REQUESTS: Readonly<Record<string, readonly Request[]>> = {
  'api/v1/books/get.ts': [
    ['GET', '/api/v1/books'],
    ['GET', '/api/v1/books?search=mary'],
    ['GET', '/api/v1/books?size=x'],
  ],
  'api/v1/books/featured.get.ts': [['GET', '/api/v1/books/featured']],
  'api/v1/books/[id].get.ts': [
    ['GET', '/api/v1/books/1'],
    ['GET', '/api/v1/books/99'],
  ],
  'api/v1/books/[id]/reviews.get.ts': [['GET', '/api/v1/books/1/reviews']],
  'api/v1/books/[id]/reviews/[reviewId].get.ts': [['GET', '/api/v1/books/1/reviews/1']],
  'api/v1/profile.get.ts': [['GET', '/api/v1/profile']],
  'api/v1/admin/stats.get.ts': [['GET', '/api/v1/admin/stats']],
  'web/get.ts': [
    ['GET', '/'],
    ['GET', '/?search=eliot'],
  ],
  'web/login.get.ts': [['GET', '/login']],
  'web/books/[slug].get.ts': [
    ['GET', '/books/flatland'],
    ['GET', '/books/nope'],
  ],
  'web/books/[slug]/review.get.ts': [['GET', '/books/flatland/review']],
  'web/covers/[id].get.ts': [['GET', '/covers/1']],
  'web/admin/get.ts': [['GET', '/admin']],
  'web/login.post.ts': [['POST', '/login', { email: 'x', password: 'y' }]],
  'api/v1/login.post.ts': [['POST', '/api/v1/login', { email: 'bob@example.com', password: 'nope' }]],
  'web/books/[slug]/review.post.ts': [['POST', '/books/flatland/review', { rating: '9', text: '' }]],
  'api/v1/books/[id]/reviews.post.ts': [
    ['POST', '/api/v1/books/2/reviews', { rating: 4, text: 'Yes.' }],
    ['POST', '/api/v1/books/2/reviews', { rating: 9, text: 'Yes.' }],
    ['POST', '/api/v1/books/77/reviews', { rating: 3, text: 'Yes.' }],
  ],
  'api/v1/profile.put.ts': [
    ['PUT', '/api/v1/profile', { name: 'Someone' }],
    ['PUT', '/api/v1/profile', {}],
  ],
  'api/v1/admin/books.post.ts': [
    ['POST', '/api/v1/admin/books', { title: 'T', author: 'A', year: 1900, cents: 5 }],
    ['POST', '/api/v1/admin/books', { title: 'Flatland', author: 'A', year: 1900, cents: 5 }],
  ],
  'api/v1/admin/books/[id].patch.ts': [
    ['PATCH', '/api/v1/admin/books/3', { cents: 7 }],
    ['PATCH', '/api/v1/admin/books/88', {}],
  ],
  'api/v1/admin/books/[id].del.ts': [
    ['DELETE', '/api/v1/admin/books/55'],
    ['DELETE', '/api/v1/admin/books/6'],
  ],
  'api/v1/session.del.ts': [['DELETE', '/api/v1/session']],
};

/** Edit literals and conditions of the bookshop at random, and ask each version as a stranger, a reader and an admin. */
export async function tryBookshop(count: number, seed: number): Promise<Trial> {
  process.env.SESSION_SECRET = 'x'.repeat(40);
  const shop = copyOf('bookshop', ['libsql', 'zod']);
  const seeded = path.join(shop.root, 'seeded.db');
  let runs = 0;
  const answers = async (): Promise<Answers | undefined> => {
    const found = new Map<string, string>();
    for (const visitor of VISITORS) {
      const database = path.join(shop.root, `run-${runs++}.db`);
      if (existsSync(seeded)) copyFileSync(seeded, database);
      process.env.DATABASE = database;
      // The types of ctx are those of the shop.
      const app = await createTestApp({
        dir: shop.root,
        overrides: { visitor } as object,
        leaks: 'ignore',
        logger: false,
      }).catch(() => undefined);
      if (!app) return undefined;
      if (!existsSync(seeded)) copyFileSync(database, seeded);
      try {
        await askAll(app, shop, found);
      } finally {
        await app.close();
      }
    }
    return found;
  };
  // The first run makes the data.
  await answers();
  return tryEdits(shop, randomEdits(shop, count, seed), answers);
}

async function askAll(app: TestApp, shop: Project, found: Map<string, string>): Promise<void> {
  const note = (file: string, told: string): void => {
    const name = shop.label(file);
    found.set(name, `${found.get(name) ?? ''}\n${told}`);
  };
  const tool = await app.mcp.callTool('booksSearch', { search: 'mary' }).catch(String);
  note('mcp/tools/books/search.ts', JSON.stringify(tool));
  const socket = await app.ws('/ws/books/flatland/readers').catch(() => undefined);
  note('ws/books/[slug]/readers.ts', JSON.stringify(await socket?.next().catch(String)));
  await socket?.close();
  for (const [file, requests] of Object.entries(REQUESTS))
    for (const [method, url, body] of requests) {
      const response = await app.request(method, url, body === undefined ? {} : { body });
      const text = (await response.text()).replace(/"(id|requestId)":"?[\w-]+"?/g, '');
      note(
        file,
        `${response.status} ${response.headers.get('location')} ${response.headers.get('content-type')} ${text}`,
      );
    }
}

function randomEdits(shop: Project, count: number, seed: number): Edit[] {
  const r = random(seed);
  const source = path.join(shop.root, 'src');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => file.endsWith('.ts') && !APART.test(file))
    .sort();
  const edits: Edit[] = [];
  while (edits.length < count) {
    const name = r.pick(files);
    const before = shop.read(name);
    const spots = spotsIn(name, before);
    if (spots.length === 0) continue;
    const { start, end, text } = r.pick(spots);
    edits.push({ name, before, after: before.slice(0, start) + text + before.slice(end) });
  }
  return edits;
}

/** Literals with other ones for them, and conditions that can be turned round. */
function spotsIn(name: string, text: string) {
  const spots: { readonly start: number; readonly end: number; readonly text: string }[] = [];
  walk(parseSync(name, text).program, (node: Node) => {
    if (/^Import|^Export(All|Named)/.test(node.type) && 'source' in node && node.source) return false;
    const { start, end } = node;
    if (node.type === 'UnaryExpression' && node.operator === '!')
      spots.push({ start, end, text: `!!${text.slice(start + 1, end)}` });
    if (node.type !== 'Literal') return undefined;
    const { value } = node;
    if (typeof value === 'number') spots.push({ start, end, text: String(value + 1) });
    if (typeof value === 'boolean') spots.push({ start, end, text: String(!value) });
    if (typeof value === 'string' && !/lifetime|request|session/.test(value))
      spots.push({ start, end, text: JSON.stringify(`${value}Q`) });
    return undefined;
  });
  return spots;
}
