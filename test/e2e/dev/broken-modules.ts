import type { Files } from '../../harness/project.js';
import { module, route } from '../../harness/source.js';

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

/** A route of which only the text is broken. */
const text = (broken: string, ...told: RegExp[]): Broken => ({
  files: { 'api/x.ts': says('good') },
  breaks: { 'api/x.ts': broken },
  told,
  mends: { 'api/x.ts': says('mended') },
  deletes: ['api/x.ts'],
});

/** What is wrong with a module, or with what it is called. */
export const brokenModules: Readonly<Record<string, Broken>> = {
  'a syntax error': text(
    `${says('broken')}\n}`,
    /^ +FWK\d{3} src\/api\/x\.ts:4: does not parse: .*\n(?:.*\n)*? +4 \| }\n +\| \^/m,
  ),
  'a throw at import': text(
    `${says('broken')}\nthrow new Error('at import');`,
    /^ +FWK\d{3} src\/api\/x\.ts:4: throws when it is imported: at import\./m,
  ),
  'something that is no error, thrown': text(
    `${says('broken')}\nthrow 'only text';`,
    /^ +FWK\d{3} src\/api\/x\.ts(:\d+)?: throws when it is imported: only text\./m,
  ),
  'an import of a name that is not exported': {
    ...text(
      `import { nothing } from '../lib/words.js';\n${route('get', '() => nothing')}`,
      /^ +FWK\d{3} src\/api\/x\.ts:1: cannot be linked: .*'\.\.\/lib\/words\.js' does not provide an export named 'nothing'/m,
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
    told: [/^ +FWK\d{3} src\/api\/x\.ts:1: cannot be linked: .*does not provide an export named 'word'/m],
    mends: { 'lib/words.ts': `export const word = 'mended';` },
  },
  'an import of a module that is not there': text(
    `import '../lib/nowhere.js';\n${says('broken')}`,
    /^ +FWK\d{3} src\/api\/x\.ts:1: cannot be linked: Cannot find module '\.\.\/lib\/nowhere\.js'/m,
    /1 \| import '\.\.\/lib\/nowhere\.js'/,
  ),
  'an import of a package that is not there': text(
    `import 'no-such-package';\n${says('broken')}`,
    /^ +FWK\d{3} src\/api\/x\.ts:1: cannot be linked: Cannot find package 'no-such-package'.*\. Install it: production has what is in "dependencies" alone\./m,
  ),
  'a deleted module that others import': {
    files: {
      'api/x.ts': `import { word } from '../lib/words.js';\n${route('get', '() => word')}`,
      'lib/words.ts': `export const word = 'good';`,
    },
    breaks: { 'lib/words.ts': null },
    told: [/^ +FWK\d{3} src\/api\/x\.ts:1: cannot be linked: Cannot find module '\.\.\/lib\/words\.js'/m],
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
      /^ +FWK\d{3} src\/lib\/right\.ts:2: throws when it is imported: Cannot access 'left' before initialization\./m,
    ],
    mends: { 'lib/left.ts': `export const left = 'mended';` },
  },
  'JSON that does not parse': {
    files: {
      'api/x.ts': `import data from '../../lib/data.json' with { type: 'json' };\n${route('get', '() => data.word')}`,
      'lib/data.json': '{ "word": "good" }',
    },
    breaks: { 'lib/data.json': '{\n  "word": good\n}' },
    told: [/^ +FWK\d{3} lib\/data\.json:2: does not parse: /m],
    mends: { 'lib/data.json': '{ "word": "mended" }' },
  },
  'a suffix that is not the wrapper': {
    files: { 'api/x.post.ts': route('post', `() => 'good'`) },
    breaks: { 'api/x.post.ts': says('broken') },
    told: [/^ +FWK\d{3} src\/api\/x\.post\.ts: is named for POST but exports get\(\)\./m],
    mends: { 'api/x.post.ts': route('post', `() => 'mended'`) },
    deletes: ['api/x.post.ts'],
    method: 'POST',
  },
  'one route twice': {
    files: { 'api/x.ts': says('good') },
    breaks: { 'api/x/index.ts': says('double') },
    told: [/^ +FWK\d{3} src\/api\/x\/index\.ts: serves GET \/api\/x, which src\/api\/x\.ts serves too\./m],
    mends: { 'api/x.ts': null, 'api/x/index.ts': says('mended') },
    deletes: ['api/x/index.ts'],
  },
  'a name that is no route': {
    files: { 'api/x.ts': says('good') },
    breaks: { 'api/x.ts': null, 'api/[x.ts': says('good') },
    told: [/^ +FWK\d{3} src\/api\/\[x\.ts: has a bad path segment "\[x": /m],
    mends: { 'api/[x.ts': null, 'api/x.ts': says('mended') },
    deletes: ['api/[x.ts'],
  },
  'no default export': text(
    'export const x = 1;',
    /^ +FWK\d{3} src\/api\/x\.ts: has no default export\. Export a handler wrapped in get/m,
  ),
  'a handler without a wrapper': text(
    `export default () => 'broken';`,
    /^ +FWK\d{3} src\/api\/x\.ts: has a default export that is not wrapped\./m,
  ),
  'a file that is left empty': text('', /^ +FWK\d{3} src\/api\/x\.ts: has no default export\./m),
  'metadata that means nothing': text(
    module('get', `export default get(() => 'broken').meta({ bodyLimit: '1mb' });`),
    /^ +FWK\d{3} src\/api\/x\.ts: has \.meta\({ bodyLimit: "1mb" }\)\./m,
  ),
  'a wrapper without a handler': text(
    module('get', 'export default get();'),
    /^ +FWK\d{3} src\/api\/x\.ts:2: a GET endpoint needs a handler function\./m,
  ),
  'a module that leaves the directory and throws': text(
    `${says('broken')}\nprocess.chdir('/');\nthrow new Error('half done');`,
    /^ +FWK\d{3} src\/api\/x\.ts:5: throws when it is imported: half done\./m,
  ),
  'a top-level await that never ends': text(
    `${says('broken')}\nawait new Promise(() => {});`,
    /src\/api\/x\.ts: waits in a top-level await /,
  ),
};
