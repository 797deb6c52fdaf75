import type { Files } from '../../harness/project.js';
import { module, service, sseRoute, tells, wsModule } from '../../harness/source.js';

/** A project with a mistake. */
export interface Mistake {
  readonly files: Files;
  /** The file that is named, with its message; `:3: …` if the line is known. */
  readonly messages: Readonly<Record<string, string>>;
}

const get = tells('get', 'here');
const bad = (segment: string) => `has an invalid path segment "${segment}": `;

/** All mistakes by name. `SRC/` represents the source directory. */
export const mistakes: Readonly<Record<string, Mistake>> = {
  'a suffix that differs from the wrapper': {
    files: { 'api/login.post.ts': get },
    messages: {
      'api/login.post.ts':
        'is named for POST but exports get(). Rename it to login.get.ts or wrap the handler in post().',
    },
  },
  'a method file that differs from the wrapper': {
    files: { 'web/shop/del.ts': tells('patch', 'shop') },
    messages: { 'web/shop/del.ts': 'is named for DELETE but exports patch(). ' },
  },
  'a file and a directory for one route': {
    files: { 'api/v1/users.get.ts': get, 'api/v1/users/get.ts': get },
    messages: {
      'api/v1/users/get.ts':
        'serves GET /api/v1/users, which SRC/api/v1/users.get.ts serves too. Delete or rename one of them.',
    },
  },
  'one route with and without a suffix': {
    files: { 'api/a.del.ts': tells('del', 'a'), 'api/a.ts': tells('del', 'a') },
    messages: {
      'api/a.ts': 'serves DELETE /api/a, which SRC/api/a.del.ts serves too. Delete or rename one of them.',
    },
  },
  'one route in api and in web': {
    files: { 'api/users.get.ts': get, 'web/api/users.get.ts': get },
    messages: {
      'web/api/users.get.ts':
        'serves GET /api/users, which SRC/api/users.get.ts serves too. Delete or rename one of them.',
    },
  },
  'one route under two parameter names': {
    files: { 'api/users/[id].get.ts': get, 'api/users/[userId].get.ts': get },
    messages: {
      'api/users/[userId].get.ts':
        'serves GET /api/users/:userId, which SRC/api/users/[id].get.ts serves too. Delete or rename one of them.',
    },
  },
  'one route in two groups': {
    files: { 'web/(a)/x.get.ts': get, 'web/(b)/x.get.ts': get },
    messages: {
      'web/(b)/x.get.ts':
        'serves GET /x, which SRC/web/(a)/x.get.ts serves too. Delete or rename one of them.',
    },
  },
  'an invalid limit': {
    files: { 'api/x.ts': module('get', `export default get(() => 1).meta({ bodyLimit: '1mb' });`) },
    messages: {
      'api/x.ts':
        'has .meta({ bodyLimit: "1mb" }). Make it a whole number of bytes, at least 0, or leave it out.',
    },
  },
  'a negative limit and an unknown body mode': {
    files: {
      'api/x.ts': module('post', `export default post(() => 1).meta({ body: 'streams' });`),
      'web/y.ts': module('post', 'export default post(() => 1).meta({ bodyLimit: Infinity });'),
    },
    messages: {
      'api/x.ts': 'has .meta({ body: "streams" }). Make it "stream", or leave it out.',
      'web/y.ts':
        'has .meta({ bodyLimit: Infinity }). Make it a whole number of bytes, at least 0, or leave it out.',
    },
  },
  'no default export': {
    files: { 'api/x.ts': 'export const handler = () => {};' },
    messages: {
      'api/x.ts': 'has no default export. Export a handler wrapped in get(), post() or another method.',
    },
  },
  'a handler without a wrapper': {
    files: { 'api/x.get.ts': 'export default () => ({});' },
    messages: {
      'api/x.get.ts':
        'has a default export that is not wrapped. Wrap the handler in get(), post() or another method.',
    },
  },
  'events in a file named for another method': {
    files: { 'api/x.post.ts': sseRoute('() => {}') },
    messages: {
      'api/x.post.ts':
        'is named for POST but exports sse(). Rename it to x.get.ts or wrap the handler in post().',
    },
  },
  'wrappers of other directories': {
    files: {
      'api/x.ts': wsModule('() => {}'),
      'web/y.get.ts': service('() => 1'),
    },
    messages: {
      'api/x.ts': 'exports ws(), which is for files in ws/. Move the file there, or use a wrapper that',
      'web/y.get.ts':
        'exports service() or di(), which is for files in services/ or di/. Move the file there, ',
    },
  },
  'a module that throws': {
    files: { 'api/x.ts': `${get}\n\nthrow new Error('no database');` },
    messages: { 'api/x.ts': ':5: throws when it is imported: no database.' },
  },
  'a helper that throws': {
    files: {
      'api/x.ts': `import '../lib/db.js';\n${get}`,
      'lib/db.ts': `\nthrow new Error('no database');\n`,
    },
    messages: { 'lib/db.ts': ':2: throws when it is imported: no database.' },
  },
  'a module that does not parse': {
    files: { 'api/x.ts': `import { get } from 'fwkit';\nexport default get(() => {;\n` },
    messages: { 'api/x.ts': ':3: does not parse: ' },
  },
  'an import that cannot be resolved': {
    files: { 'api/x.ts': `import './nowhere.js';\n${get}` },
    messages: { 'api/x.ts': ':1: ' },
  },
  'an unclosed bracket': {
    files: { 'api/users/[id.get.ts': get },
    messages: { 'api/users/[id.get.ts': bad('[id') },
  },
  'a bracket that was never opened': {
    files: { 'api/users/id].get.ts': get },
    messages: { 'api/users/id].get.ts': bad('id]') },
  },
  'text around brackets': {
    files: { 'api/users/user-[id].get.ts': get },
    messages: { 'api/users/user-[id].get.ts': bad('user-[id]') },
  },
  'brackets without a name': {
    files: { 'api/[]/x.get.ts': get, 'api/[...].get.ts': get },
    messages: { 'api/[]/x.get.ts': bad('[]'), 'api/[...].get.ts': bad('[...]') },
  },
  'double brackets': {
    files: { 'api/[[id]].get.ts': get },
    messages: { 'api/[[id]].get.ts': bad('[[id]]') },
  },
  'a catch-all that is not last': {
    files: { 'web/[...rest]/x.get.ts': get },
    messages: { 'web/[...rest]/x.get.ts': bad('[...rest]') },
  },
  'one parameter name twice in a path': {
    files: { 'api/[id]/books/[id].get.ts': get },
    messages: { 'api/[id]/books/[id].get.ts': 'uses the parameter "id" twice. Rename one of them.' },
  },
  'a middleware without its wrapper': {
    files: {
      'middlewares/1.trace.ts': 'export default (req, res, ctx, next) => next();',
      'api/_middleware.ts': 'export const x = 1;',
      'api/x.ts': get,
    },
    messages: {
      'middlewares/1.trace.ts': 'is not a middleware. Export default middleware((req, res, ctx, next) => …).',
      'api/_middleware.ts': 'is not a middleware. Export default middleware((req, res, ctx, next) => …).',
    },
  },
  'a provider without its wrapper': {
    files: { 'services/store.ts': 'export default { a: 1 };', 'di/now.ts': 'export default () => 1;' },
    messages: {
      'services/store.ts': 'is not a provider. Export default service(…) or di(…).',
      'di/now.ts': 'is not a provider. Export default service(…) or di(…).',
    },
  },
  'two providers for one key': {
    files: {
      'services/user-store.ts': service('() => 1'),
      'services/userStore.ts': service('() => 2'),
    },
    messages: {
      'services/userStore.ts':
        'provides ctx.userStore, which SRC/services/user-store.ts also provides. Rename one of them.',
    },
  },
};
