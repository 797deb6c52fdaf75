import type { Files } from '../harness/project.js';
import { module, route } from '../harness/source.js';

/** Texts by file; null takes the file away. */
export type Changes = Readonly<Record<string, string | null>>;

/** An edit that keeps the new version from being served. Its project answers 'good' at `path`. */
export interface Broken {
  /** The good project, beside what every case has. */
  readonly files: Files;
  readonly breaks: Changes;
  /** What the terminal says: the file as seen from the root, the line where it is known, and what is wrong. */
  readonly told: readonly RegExp[];
  /** Mends with other text than before: then `path` answers 'mended'. */
  readonly mends?: Changes;
  /** Mends by taking away; what is left need not answer at `path`. */
  readonly deletes?: readonly string[];
  /** Default: `/api/x`, asked by GET. */
  readonly path?: string;
  readonly method?: string;
}

const says = (text: string) => route('get', `() => '${text}'`);
const service = (text: string) => module('service', `export default service(${text});`);
const config = (text: string) => module('defineConfig', `export default defineConfig(${text});`);
const reads = (key: string) => route('get', `(req, res, ctx) => ctx.${key}`);
const through = module('middleware', 'export default middleware((req, res, ctx, next) => next());');
const answering = (text: string) => module('middleware', `export default middleware(() => '${text}');`);

/** A route of which only the text is broken: `row` is the source that is shown around the mistake. */
const text = (broken: string, ...told: RegExp[]): Broken => ({
  files: { 'api/x.ts': says('good') },
  breaks: { 'api/x.ts': broken },
  told,
  mends: { 'api/x.ts': says('mended') },
  deletes: ['api/x.ts'],
});

/** A service that a route answers with. */
const made = (broken: string, ...told: RegExp[]): Broken => ({
  files: { 'api/x.ts': reads('word'), 'services/word.ts': service(`() => 'good'`) },
  breaks: { 'services/word.ts': broken },
  told,
  mends: { 'services/word.ts': service(`() => 'mended'`) },
});

const configured = (broken: string, ...told: RegExp[]): Broken => ({
  files: { 'api/x.ts': says('good'), 'fwk.config.ts': config('{}') },
  breaks: { 'fwk.config.ts': broken },
  told,
  mends: { 'fwk.config.ts': config('{ http: { maxFiles: 5 } }'), 'api/x.ts': says('mended') },
  deletes: ['fwk.config.ts'],
});

export const brokenEdits: Readonly<Record<string, Broken>> = {
  'a syntax error': text(
    `${says('broken')}\n}`,
    /^ +src\/api\/x\.ts:4: does not parse: .*\n(?:.*\n)*? +4 \| }\n +\| \^/m,
  ),
  'a throw at import': text(
    `${says('broken')}\nthrow new Error('at import');`,
    /^ +src\/api\/x\.ts:4: throws when it is imported: at import\./m,
  ),
  'something that is no error, thrown': text(
    `${says('broken')}\nthrow 'only text';`,
    /^ +src\/api\/x\.ts(:\d+)?: throws when it is imported: only text\./m,
  ),
  'an import of a name that is not exported': {
    ...text(
      `import { nothing } from '../lib/words.js';\n${route('get', '() => nothing')}`,
      /^ +src\/api\/x\.ts:1: cannot be linked: .*'\.\.\/lib\/words\.js' does not provide an export named 'nothing'/m,
      /1 \| import { nothing } from/,
    ),
    files: { 'api/x.ts': says('good'), 'lib/words.ts': 'export const word = 1;' },
  },
  'an export that others import is taken out': {
    files: {
      'api/x.ts': `import { word } from '../lib/words.js';\n${route('get', '() => word')}`,
      'lib/words.ts': `export const word = 'good';`,
    },
    breaks: { 'lib/words.ts': `export const other = 'good';` },
    told: [/^ +src\/api\/x\.ts:1: cannot be linked: .*does not provide an export named 'word'/m],
    mends: { 'lib/words.ts': `export const word = 'mended';` },
  },
  'an import of a module that is not there': text(
    `import '../lib/nowhere.js';\n${says('broken')}`,
    /^ +src\/api\/x\.ts:1: cannot be linked: Cannot find module '\.\.\/lib\/nowhere\.js'/m,
    /1 \| import '\.\.\/lib\/nowhere\.js'/,
  ),
  'an import of a package that is not there': text(
    `import 'no-such-package';\n${says('broken')}`,
    /^ +src\/api\/x\.ts:1: cannot be linked: Cannot find package 'no-such-package'/m,
  ),
  'a deleted module that others import': {
    files: {
      'api/x.ts': `import { word } from '../lib/words.js';\n${route('get', '() => word')}`,
      'lib/words.ts': `export const word = 'good';`,
    },
    breaks: { 'lib/words.ts': null },
    told: [/^ +src\/api\/x\.ts:1: cannot be linked: Cannot find module '\.\.\/lib\/words\.js'/m],
    mends: { 'lib/words.ts': `export const word = 'mended';` },
    deletes: ['api/x.ts'],
  },
  'a cycle of modules that reads what is not there yet': {
    files: {
      'api/x.ts': `import { left } from '../lib/left.js';\n${route('get', '() => left')}`,
      'lib/left.ts': `export const left = 'good';`,
      'lib/right.ts': `import { left } from './left.js';\nexport const right = left + '!';`,
    },
    breaks: { 'lib/left.ts': `import { right } from './right.js';\nexport const left = right + '?';` },
    told: [
      /^ +src\/lib\/right\.ts:2: throws when it is imported: Cannot access 'left' before initialization\./m,
    ],
    mends: { 'lib/left.ts': `export const left = 'mended';` },
  },
  'JSON that does not parse': {
    files: {
      'api/x.ts': `import data from '../../lib/data.json' with { type: 'json' };\n${route('get', '() => data.word')}`,
      'lib/data.json': '{ "word": "good" }',
    },
    breaks: { 'lib/data.json': '{\n  "word": good\n}' },
    told: [/^ +lib\/data\.json:2: does not parse: /m],
    mends: { 'lib/data.json': '{ "word": "mended" }' },
  },
  'a suffix that is not the wrapper': {
    files: { 'api/x.post.ts': route('post', `() => 'good'`) },
    breaks: { 'api/x.post.ts': says('broken') },
    told: [/^ +src\/api\/x\.post\.ts: is named for POST but exports get\(\)\./m],
    mends: { 'api/x.post.ts': route('post', `() => 'mended'`) },
    deletes: ['api/x.post.ts'],
    method: 'POST',
  },
  'one route twice': {
    files: { 'api/x.ts': says('good') },
    breaks: { 'api/x/index.ts': says('double') },
    told: [/^ +src\/api\/x\/index\.ts: serves GET \/api\/x, which src\/api\/x\.ts serves too\./m],
    mends: { 'api/x.ts': null, 'api/x/index.ts': says('mended') },
    deletes: ['api/x/index.ts'],
  },
  'a name that is no route': {
    files: { 'api/x.ts': says('good') },
    breaks: { 'api/x.ts': null, 'api/[x.ts': says('good') },
    told: [/^ +src\/api\/\[x\.ts: has a bad path segment "\[x": /m],
    mends: { 'api/[x.ts': null, 'api/x.ts': says('mended') },
    deletes: ['api/[x.ts'],
  },
  'no default export': text(
    'export const x = 1;',
    /^ +src\/api\/x\.ts: has no default export\. Export a handler wrapped in get/m,
  ),
  'a handler without a wrapper': text(
    `export default () => 'broken';`,
    /^ +src\/api\/x\.ts: has a default export that is not wrapped\./m,
  ),
  'a file that is left empty': text('', /^ +src\/api\/x\.ts: has no default export\./m),
  'metadata that means nothing': text(
    module('get', `export default get(() => 'broken').meta({ bodyLimit: '1mb' });`),
    /^ +src\/api\/x\.ts: has \.meta\({ bodyLimit: "1mb" }\)\./m,
  ),
  'a wrapper without a handler': text(
    module('get', 'export default get();'),
    /^ +src\/api\/x\.ts:2: throws when it is imported: a GET endpoint needs a handler function\./m,
  ),
  'a module that leaves the directory and throws': text(
    `${says('broken')}\nprocess.chdir('/');\nthrow new Error('half done');`,
    /^ +src\/api\/x\.ts:5: throws when it is imported: half done\./m,
  ),
  'a middleware without its wrapper': {
    files: { 'api/x.ts': says('good'), 'middlewares/1.trace.ts': through },
    breaks: { 'middlewares/1.trace.ts': 'export default (req, res, ctx, next) => next();' },
    told: [/^ +src\/middlewares\/1\.trace\.ts: is no middleware\./m],
    mends: { 'middlewares/1.trace.ts': `${through}\n`, 'api/x.ts': says('mended') },
    deletes: ['middlewares/1.trace.ts'],
  },
  'a middleware of a directory that throws': {
    files: {
      'api/x.ts': says('no'),
      'api/_middleware.ts': answering('good'),
      'web/witness.ts': says('witness'),
    },
    breaks: { 'api/_middleware.ts': `${through}\nthrow new Error('no key');` },
    told: [/^ +src\/api\/_middleware\.ts:4: throws when it is imported: no key\./m],
    mends: { 'api/_middleware.ts': answering('mended') },
    deletes: ['api/_middleware.ts'],
  },
  'a service that throws when it is made': made(
    service(`() => { throw new Error('no such host'); }`),
    /^ +src\/services\/word\.ts:2: fails to make its value: no such host\./m,
  ),
  'a service that rejects': made(
    service(`async () => { await null; throw new Error('no such host'); }`),
    /^ +src\/services\/word\.ts:2: fails to make its value: no such host\./m,
  ),
  'a service without its wrapper': made(
    `export default () => 'broken';`,
    /^ +src\/services\/word\.ts: is no provider\./m,
  ),
  'a cycle of services': {
    ...made(
      service('(ctx) => ctx.other'),
      /^ +src\/services\/\w+\.ts: is in a cycle of services: (other → word → other|word → other → word)\./m,
    ),
    files: {
      'api/x.ts': reads('word'),
      'services/word.ts': service(`() => 'good'`),
      'services/other.ts': service('(ctx) => [ctx.word]'),
    },
  },
  'a service that reads what lives for one request': {
    ...made(
      service('(ctx) => ctx.visitor'),
      /^ +src\/services\/word\.ts: is a singleton and reads ctx\.visitor, which lives for one request\./m,
    ),
    files: {
      'api/x.ts': reads('word'),
      'services/word.ts': service(`() => 'good'`),
      'di/visitor.ts': module('di', `export default di({ lifetime: 'request', value: () => 'me' });`),
    },
  },
  'two services for one key': {
    files: { 'api/x.ts': reads('userStore'), 'services/userStore.ts': service(`() => 'good'`) },
    breaks: { 'services/user-store.ts': service(`() => 'double'`) },
    told: [
      /^ +src\/services\/userStore\.ts: provides ctx\.userStore, which src\/services\/user-store\.ts provides too\./m,
    ],
    mends: { 'services/userStore.ts': null, 'services/user-store.ts': service(`() => 'mended'`) },
    deletes: ['services/user-store.ts'],
  },
  'a deleted service that another reads': {
    files: {
      'api/x.ts': reads('word'),
      'services/word.ts': service('(ctx) => ctx.store.word'),
      'services/store.ts': service(`() => ({ word: 'good' })`),
    },
    breaks: { 'services/store.ts': null },
    told: [/^ +src\/services\/word\.ts:2: fails to make its value: Cannot read properties of undefined/m],
    mends: { 'services/store.ts': service(`() => ({ word: 'mended' })`) },
  },
  'a config with an unknown key': configured(
    config('{ plugin: [] }'),
    /src\/fwk\.config\.ts.* has an unknown key "plugin"\. Did you mean "plugins"\?/,
  ),
  'a config that throws': configured(
    `throw new Error('no secret');`,
    /src\/fwk\.config\.ts:1: throws when it is imported: no secret/,
  ),
  'a config that does not parse': configured(
    'export default {',
    /src\/fwk\.config\.ts:1: does not parse: [\s\S]* 1 \| export default {/,
  ),
  'a tsconfig.json that does not parse': {
    files: { 'api/x.ts': says('good'), 'tsconfig.json': '{ "include": [".fwk/**/*", "src"] }' },
    breaks: { 'tsconfig.json': '{\n  "include": \n}' },
    told: [/^ +tsconfig\.json:3: does not parse: /m],
    mends: { 'tsconfig.json': '{ "include": ["src", ".fwk/**/*"] }', 'api/x.ts': says('mended') },
    deletes: ['tsconfig.json'],
  },
  'a package.json that does not parse': {
    files: { 'api/x.ts': says('good') },
    breaks: { 'package.json': '{\n  "type": module\n}' },
    told: [/^ +package\.json:2: does not parse: /m],
    mends: { 'package.json': '{ "type": "module" }', 'api/x.ts': says('mended') },
  },
  'a top-level await that never ends': text(
    `${says('broken')}\nawait new Promise(() => {});`,
    /src\/api\/x\.ts: waits in a top-level await /,
  ),
  'a service that is never made': made(
    service('() => new Promise(() => {})'),
    /src\/services\/word\.ts\b.* waits |src\/services\/word\.ts\b.* never /,
  ),
};
