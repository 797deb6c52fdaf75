import { module, route } from '../../harness/source.js';
import type { Broken } from './broken-modules.js';

const says = (text: string) => route('get', `() => '${text}'`);
const service = (text: string) => module('service', `export default service(${text});`);
const config = (text: string) => module('defineConfig', `export default defineConfig(${text});`);
const reads = (key: string) => route('get', `(req, res, ctx) => ctx.${key}`);
const through = module('middleware', 'export default middleware((req, res, ctx, next) => next());');
const answering = (text: string) => module('middleware', `export default middleware(() => '${text}');`);

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

/** What is wrong with middlewares, services, the config, or what belongs to the project as a whole. */
export const brokenParts: Readonly<Record<string, Broken>> = {
  'a middleware without its wrapper': {
    files: { 'api/x.ts': says('good'), 'middlewares/1.trace.ts': through },
    breaks: { 'middlewares/1.trace.ts': 'export default (req, res, ctx, next) => next();' },
    told: [/^ +FWK\d{3} src\/middlewares\/1\.trace\.ts: is not a middleware\./m],
    mends: { 'middlewares/1.trace.ts': `${through}\n`, 'api/x.ts': says('mended') },
    deletes: ['middlewares/1.trace.ts'],
  },
  'a middleware of a directory that throws': {
    files: {
      'api/x.ts': says('no'),
      'api/_middleware.ts': answering('good'),
    },
    breaks: { 'api/_middleware.ts': `${through}\nthrow new Error('no key');` },
    told: [/^ +FWK\d{3} src\/api\/_middleware\.ts:4: throws when it is imported: no key\./m],
    mends: { 'api/_middleware.ts': answering('mended') },
    deletes: ['api/_middleware.ts'],
  },
  'a service that throws when it is made': made(
    service(`() => { throw new Error('no such host'); }`),
    /^ +FWK\d{3} src\/services\/word\.ts:2: fails to make its value: no such host\./m,
  ),
  'a service that rejects': made(
    service(`async () => { await null; throw new Error('no such host'); }`),
    /^ +FWK\d{3} src\/services\/word\.ts:2: fails to make its value: no such host\./m,
  ),
  'a service without its wrapper': made(
    `export default () => 'broken';`,
    /^ +FWK\d{3} src\/services\/word\.ts: is not a provider\./m,
  ),
  'a cycle of services': {
    ...made(
      service('(ctx) => ctx.other'),
      /^ +FWK\d{3} src\/services\/\w+\.ts: is in a cycle of services: (other → word → other|word → other → word)\./m,
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
      /^ +FWK\d{3} src\/services\/word\.ts: is a singleton and reads ctx\.visitor, which lives for one request\./m,
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
      /^ +FWK\d{3} src\/services\/userStore\.ts: provides ctx\.userStore, which src\/services\/user-store\.ts provides too\./m,
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
    told: [
      /^ +FWK\d{3} src\/services\/word\.ts:2: fails to make its value \(ctx has no "store"\): Cannot read properties of undefined/m,
    ],
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
    told: [/^ +FWK\d{3} tsconfig\.json:3: does not parse: /m],
    mends: { 'tsconfig.json': '{ "include": ["src", ".fwk/**/*"] }', 'api/x.ts': says('mended') },
    deletes: ['tsconfig.json'],
  },
  'a package.json that does not parse': {
    files: { 'api/x.ts': says('good') },
    breaks: { 'package.json': '{\n  "type": module\n}' },
    told: [/^ +FWK\d{3} package\.json:2: does not parse: /m],
    mends: { 'package.json': '{ "type": "module" }', 'api/x.ts': says('mended') },
  },
  'a service that is never made': made(
    service('() => new Promise(() => {})'),
    /src\/services\/word\.ts\b.* waits |src\/services\/word\.ts\b.* never /,
  ),
};
