import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ended, fwk, start } from '../../harness/fwk.js';
import { type Files, type Project, project } from '../../harness/project.js';
import { TSCONFIG } from '../../harness/settings.js';
import { compilers } from '../../harness/tsc.js';

const test = suite('default exports');

const FORMS: Files = {
  'api/index.ts': `import { all } from 'fwkit';\nexport default all(() => 1);\n`,
  'api/users/[id].get.ts': `import { type HttpRequest, get } from 'fwkit';
export default get((req: HttpRequest<'/api/users/:id'>) => ({ id: req.params.id })).meta({ timeout: 1_000 });
`,
  'api/shared.del.ts': `export { default } from '../lib/shared.js';\n`,
  'lib/shared.ts': `import { del } from 'fwkit';\nconst shared = del(async () => {});\nexport { shared as default };\n`,
  'api/untyped.post.ts': `import { post } from 'fwkit';\nexport default post(() => 1) as any;\n`,
  'api/late.mts': `import { put } from 'fwkit';\nexport default put(() => 1);\n`,
  'api/news.get.ts': `import { sse } from 'fwkit';\nexport default sse(async (events) => void events.send({ data: 1 }));\n`,
  'web/get.ts': `import { get } from 'fwkit';\nexport default get((_req, _res, ctx) => ctx.store.all().map(String));\n`,
  'ws/echo.ts': `import { ws } from 'fwkit';\nexport default ws(({ send, onMessage }) => onMessage(send));\n`,
  'middlewares/1.all.ts': `import { middleware } from 'fwkit';\nexport default middleware((_req, _res, _ctx, next) => next());\n`,
  'web/_middleware.ts': `import { middleware } from 'fwkit';\nexport default middleware(async (_req, _res, _ctx, next) => next());\n`,
  'services/store.ts': `import { service } from 'fwkit';
export default service(async (ctx) => ({ all: () => [1], other: () => ctx.other.all() }), { health: () => true });
`,
  'services/other.ts': `import { service } from 'fwkit';\nexport default service(() => ({ all: (): number[] => [] }));\n`,
  'di/limit.ts': `import { di } from 'fwkit';\nexport default di({ lifetime: 'singleton', value: 5 });\n`,
  'di/theme.ts': `import { di } from 'fwkit';\nexport default di({ lifetime: 'session', value: 'light' });\n`,
  'di/visitor.ts': `import { di } from 'fwkit';\nexport default di({ lifetime: 'request', value: (_ctx, { req }) => req?.path });\n`,
  'mcp/tools/sum.ts': `import { tool } from 'fwkit/mcp';
export default tool({
  input: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
  handler: ({ a }) => a,
});
`,
  'mcp/prompts/ask.ts': `import { prompt } from 'fwkit/mcp';\nexport default prompt({ handler: () => 'Ask' });\n`,
  'mcp/resources/readme.ts': `import { resource } from 'fwkit/mcp';\nexport default resource({ uri: 'a://b', handler: () => 'text' });\n`,
  'api/_helper.ts': `export default 5;\n`,
};

const WRONG: Files = {
  'api/x.ts': 'export default 5;\n',
  'api/plain.ts': 'export default () => 5;\n',
  'api/post.get.ts': `import { post } from 'fwkit';\nexport default post(() => 1);\n`,
  'web/nothing.ts': 'export const get = 5;\n',
  'ws/route.ts': `import { get } from 'fwkit';\nexport default get(() => 1);\n`,
  'middlewares/2.plain.ts': 'export default () => {};\n',
  'services/bare.ts': 'export default class Bare {}\n',
  'di/none.ts': 'export {};\n',
  'mcp/tools/bare.ts': 'export default () => 1;\n',
};

const SAID = [
  'src/api/plain.ts has a default export that is not wrapped. Wrap the handler in get(), post() or another method.',
  'src/api/post.get.ts is named for GET, but its default export is not made by get(). Wrap the handler in get(), or rename the file.',
  'src/api/x.ts has a default export that is not wrapped. Wrap the handler in get(), post() or another method.',
  'src/di/none.ts is not a provider. Export default service(…) or di(…).',
  'src/mcp/tools/bare.ts does not export a tool. Export default tool({ … }) from fwkit/mcp.',
  'src/middlewares/2.plain.ts is not a middleware. Export default middleware((req, res, ctx, next) => …).',
  'src/services/bare.ts is not a provider. Export default service(…) or di(…).',
  'src/web/nothing.ts has no default export. Export a handler wrapped in get(), post() or another method.',
  'src/ws/route.ts has a default export that is not wrapped. Wrap the handler in ws(), or move an HTTP route to api/ or web/.',
];

/** A project with its own compiler. */
function withCompiler(files: Files, tsc: string): Project {
  const made = project({ 'tsconfig.json': TSCONFIG, ...files });
  mkdirSync(path.join(made.root, 'node_modules'));
  symlinkSync(path.resolve(tsc, '../..'), path.join(made.root, 'node_modules/typescript'));
  return made;
}

async function checked(
  made: Project,
): Promise<{ status: number | string | null; messages: string[]; stdout: string }> {
  const { status, stdout } = await fwk(made, 'types', '--check');
  const messages = [...stdout.matchAll(/error TS\d+: Type '"(.*)"' does not satisfy/g)].map(
    ([, text = '']) => text,
  );
  return { status, messages: messages.sort(), stdout };
}

for (const [version, compiler] of Object.entries(compilers)) {
  // That in node_modules/.bin is a link.
  const tsc = () => realpathSync(compiler());

  test(`names each export that cannot boot, with its wrapper, and no other: ${version}`, async () => {
    const made = withCompiler({ ...FORMS, ...WRONG }, tsc());
    const { status, messages, stdout } = await checked(made);
    assert.ok(status !== 0);
    assert.equal(messages, SAID, stdout);
    assert.is(stdout.match(/error TS/g)?.length, SAID.length, stdout);
    // The project's own settings do not include the files that it leaves behind.
    assert.equal((await ended(start(process.execPath, [tsc(), '--noEmit'], made.root), 'tsc')).stdout, '');
  });

  test(`names of compiled files resolve to sources before the first build: ${version}`, async () => {
    const made = withCompiler(
      {
        'package.json': JSON.stringify({
          name: 'shop',
          type: 'module',
          imports: {
            '#lib/*': './dist/lib/*',
            '#text': { types: './dist/lib/text.d.ts', default: './dist/lib/text.js' },
          },
          exports: { './lib/*': './dist/lib/*' },
        }),
        'lib/text.ts': `export const text = 'a';\n`,
        'api/x.ts': `import { get } from 'fwkit';
import { text } from '#lib/text.js';
import { text as same } from '#text';
import { text as own } from 'shop/lib/text.js';
export default get(() => text + same + own);
export const wrong: number[] = [text, same, own];
`,
      },
      tsc(),
    );
    const { stdout } = await checked(made);
    const messages = [...stdout.matchAll(/^(\S+)\(6,\d+\): error (TS\d+)/gm)].map(([, ...words]) =>
      words.join(' '),
    );
    assert.equal(messages, ['src/api/x.ts TS2322', 'src/api/x.ts TS2322', 'src/api/x.ts TS2322'], stdout);
    assert.is(stdout.match(/error TS/g)?.length, 3, stdout);
  });

  test(`keeps settings of every shape: ${version}`, async () => {
    const strict = {
      compilerOptions: { strict: true, skipLibCheck: true, module: 'nodenext', noEmit: true },
    };
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the compiler's own placeholder.
    const inRoot = (name: string) => '${configDir}/'.concat(name);
    const shapes: Files[] = [
      { 'tsconfig.json': JSON.stringify(strict) },
      { 'tsconfig.json': JSON.stringify({ ...strict, files: ['src/lib/bad.ts'] }) },
      { 'tsconfig.json': JSON.stringify({ ...strict, files: ['src/lib/bad.ts'], include: ['.fwk/**/*'] }) },
      {
        'tsconfig.json': '{ "extends": "./config/base.json" } // own\n',
        'config/base.json': JSON.stringify({
          compilerOptions: {
            ...strict.compilerOptions,
            composite: true,
            outDir: inRoot('dist'),
            rootDir: inRoot('src'),
            paths: { '#lib/*': [inRoot('src/lib/*')] },
          },
          include: [inRoot('src'), inRoot('.fwk')],
        }),
        'lib/aliased.ts': `import { text } from '#lib/text.js';\nexport const same: string = text;\n`,
        'lib/text.ts': `export const text = 'a';\n`,
      },
    ];
    for (const shape of version === '7' ? shapes : shapes.slice(-1)) {
      const made = withCompiler(
        { 'api/x.ts': 'export default 5;\n', 'lib/bad.ts': `export const bad: number = 'a';\n`, ...shape },
        tsc(),
      );
      const { messages, stdout } = await checked(made);
      assert.is(messages.length, 1, stdout);
      assert.match(stdout, 'src/lib/bad.ts(1,14): error TS2322');
      assert.is(stdout.match(/error TS/g)?.length, 2, stdout);
    }
  });
}

test('ignores JavaScript files beside the sources', async () => {
  const made = project({
    'tsconfig.json': TSCONFIG,
    'src/api/x.js': 'export default 5;\n',
    'main.ts': 'export {};\n',
  });
  assert.is((await fwk(made, 'types', '--check')).status, 0);
  assert.not(made.exists('.fwk/.exports.ts'));
});

test.run();
