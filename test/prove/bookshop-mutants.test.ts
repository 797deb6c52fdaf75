import path from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { copyOf } from '../examples/example.js';
import { holds } from './proving.js';

// Deletes, moves and weakens every guard of the bookshop with each operator that fits: the policy detects it. Surviving
// mutants admit no refused visitor, and are listed with the reason.

const API = 'api/v1/admin/_middleware.ts';
const PAGES = 'web/admin/_middleware.ts';
const MEMBER = 'di/member.ts';
const LOG = 'middlewares/request-log.ts';

const AUDIT = 'const { audit } = req.route.meta;';
// biome-ignore lint/suspicious/noTemplateCurlyInString: it is a line of the bookshop.
const TOLD = 'ctx.logger.info(`${member.name} ${audit}: ${req.method} ${req.path}`);';
const CALLED = 'const result = await next();';
const to = (from: string, ...replacements: readonly string[]): readonly string[] =>
  replacements.map((one) => `${JSON.stringify(from)} → ${JSON.stringify(one)}`);

/** Mutants that change no access, with the reason. */
const EQUIVALENT: Readonly<Record<string, readonly string[]>> = {
  'it changes what is logged of an admin who has been let in': [
    ...to('audit !== undefined', 'true', 'false', '!(audit !== undefined)', 'audit === undefined'),
    ...to(TOLD, ';'),
    ...to(`if (audit !== undefined) ${TOLD}`, ';'),
    ...to(
      `if (audit !== undefined) ${TOLD} return result;`,
      `return result; if (audit !== undefined) ${TOLD}`,
    ),
    ...to(`${AUDIT} if (audit !== undefined) ${TOLD}`, `if (audit !== undefined) ${TOLD} ${AUDIT}`),
    ...to(`${CALLED} ${AUDIT}`, `${AUDIT} ${CALLED}`),
    ...to('ctx.logger', 'ctx'),
    ...to('member.name', 'member'),
    ...to('req.method', 'req'),
    ...to('req.path', 'req'),
    ...to('req.route', 'req'),
  ],
  'what the handler gives is lost, and fwk dev says so: those who are refused never get there': [
    ...to('return result;', ';', 'result;', 'return;'),
    ...to('return next();', 'next();'),
    ...to('await next()', 'next()'),
  ],
  'the response is an empty 204, and the handler does not run': to(
    "return res.redirect('/login', 303);",
    'return;',
  ),
  'the redirect has been sent, and what follows it throws': to(
    "return res.redirect('/login', 303);",
    "res.redirect('/login', 303);",
  ),
};

/** Where a guard is put instead. */
const MOVES: Readonly<Record<string, readonly string[]>> = {
  [API]: [
    'api/v1/_middleware.ts',
    'api/v1/admin/books/_middleware.ts',
    'api/v1/books/_middleware.ts',
    'api/v1/admin/_guard.ts',
  ],
  [PAGES]: [
    'web/_middleware.ts',
    'web/admin/books/_middleware.ts',
    'web/books/_middleware.ts',
    'web/admin/_guard.ts',
  ],
  [LOG]: ['api/_middleware.ts', 'web/_middleware.ts', 'middlewares/_request-log.ts'],
};

const shop = copyOf('bookshop', ['libsql', 'zod']);
process.env.DATABASE = path.join(shop.root, 'mutants.db');

const test = suite('mutants of the bookshop');

test('the policy holds, and is violated without the CSRF protection', async () => {
  assert.ok(await holds(shop));
  const text = shop.read('fwk.config.ts');
  const survivors: string[] = [];
  for (const off of [
    "disableUnsafe: ['csrf']",
    "csrf: { paths: { '/api': false } }",
    "csrf: { origins: ['http://evil.example'] }",
  ]) {
    shop.write('fwk.config.ts', text.replace('defineConfig({', `defineConfig({ ${off},`));
    if (await holds(shop)) survivors.push(off);
  }
  shop.write('fwk.config.ts', text);
  assert.equal(survivors, []);
});

for (const [file, places] of Object.entries(MOVES))
  test(`${file} deleted and moved`, async () => {
    const text = shop.read(file);
    const survivors: string[] = [];
    for (const place of [undefined, ...places]) {
      shop.remove(file);
      if (place !== undefined) shop.write(place, text);
      if (await holds(shop)) survivors.push(place ?? 'deleted');
      if (place !== undefined) shop.remove(place);
      shop.write(file, text);
    }
    assert.equal(survivors, []);
  });

for (const [file, guard] of [
  [API, API],
  [PAGES, PAGES],
  [MEMBER, API],
] as const)
  test(`${file} weakened`, async () => {
    const text = shop.read(file);
    const mutants = mutantsOf(file, text);
    assert.ok(mutants.length > 10);
    const survivors: string[] = [];
    for (const mutant of mutants) {
      shop.write(file, mutant.text);
      if (await holds(shop, guard)) survivors.push(mutant.name);
    }
    shop.write(file, text);
    const expected = Object.values(EQUIVALENT)
      .flat()
      .filter((name) => mutants.some((one) => one.name === name));
    assert.equal(survivors.sort(), expected.sort());
  });

test.run();

// Ways to weaken a module, made of its syntax tree: every operator wherever it fits.

/** A changed module. */
interface Mutant {
  /** The change: `"!member.admin" → "true"`. */
  readonly name: string;
  readonly text: string;
}

interface Spanned {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

type Edit = readonly [node: Spanned, replacement: string];

/** All mutants of a module's functions; its imports and declarations stay. */
function mutantsOf(file: string, text: string): readonly Mutant[] {
  const edits: Edit[] = [];
  const source = ({ start, end }: Spanned): string => text.slice(start, end);
  const add = (node: Spanned, ...replacements: readonly string[]): void => {
    for (const one of replacements) if (one !== source(node)) edits.push([node, one]);
  };
  const statements = (body: readonly Spanned[]): void => {
    for (const [index, one] of body.entries()) {
      if (one.type !== 'VariableDeclaration') add(one, ';');
      const next = body[index + 1];
      if (!next) continue;
      const both = { type: 'both', start: one.start, end: next.end };
      add(both, `${source(next)}\n${source(one)}`);
    }
  };
  const condition = (test: Spanned): void => add(test, 'true', 'false', `!(${source(test)})`);
  new Visitor({
    ArrowFunctionExpression: ({ body, async }) => {
      const [first] = body.type === 'BlockStatement' ? body.body : [];
      // The handler runs before any check.
      if (first && /\bnext\(\)/.test(text))
        add({ ...first, end: first.start }, async ? 'await next();\n' : 'next();\n');
    },
    BlockStatement: ({ body }) => statements(body),
    IfStatement: ({ test, consequent }) => {
      condition(test);
      add(consequent, ';');
    },
    ConditionalExpression: ({ test }) => condition(test),
    LogicalExpression: (node) => {
      const [left, right] = [source(node.left), source(node.right)];
      add(node, left, right, `${left} ${node.operator === '&&' ? '||' : '&&'} ${right}`);
    },
    BinaryExpression: (node) => {
      const turned: Readonly<Record<string, string>> = { '===': '!==', '!==': '===', '<': '>=', '>': '<=' };
      const operator = turned[node.operator];
      if (operator !== undefined) add(node, `${source(node.left)} ${operator} ${source(node.right)}`);
    },
    UnaryExpression: (node) => {
      if (node.operator === '!') add(node, source(node.argument));
    },
    ThrowStatement: (node) => add(node, `void (${source(node.argument)});`),
    ReturnStatement: (node) => {
      if (node.argument) add(node, `${source(node.argument)};`, 'return;');
    },
    AwaitExpression: (node) => add(node, source(node.argument)),
    MemberExpression: (node) => {
      if (!node.computed && node.object.type === 'Identifier') add(node, source(node.object));
    },
    Literal: (node) => {
      if (typeof node.value === 'number') add(node, String(node.value === 500 ? 501 : 500));
    },
  }).visit(parseSync(file, text).program);
  const known = new Set([text]);
  return edits.flatMap(([node, replacement]) => {
    const mutated = text.slice(0, node.start) + replacement + text.slice(node.end);
    if (known.has(mutated)) return [];
    known.add(mutated);
    const shown = (code: string): string => JSON.stringify(code.replace(/\s+/g, ' ').trim());
    return [{ name: `${shown(source(node))} → ${shown(replacement)}`, text: mutated }];
  });
}
