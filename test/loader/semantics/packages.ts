import type { Cases } from './case.js';

/** Imports from node_modules, of JSON, and by the project's own names. */
export const packages: Cases = {
  'CommonJS, ES and dual packages': {
    files: {
      'main.ts': `import cjs, { named } from 'cjs'; import * as all from 'cjs'; import esm, { instance } from 'esm'; import * as sub from 'esm/sub';
        import { format } from 'dual'; import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);
        export default [named, cjs === require('cjs'), all.default === cjs, esm, sub.instance === instance, format, require('dual').format, (await cjs.load()).default];`,
    },
    gives: ['cjs', true, true, 'esm', true, 'esm', 'cjs', 'late'],
  },
  'a CommonJS package that was an ES module': {
    files: {
      'main.ts': `import transpiled, { named } from 'transpiled'; export default [transpiled.default, named, transpiled.__esModule];`,
    },
    gives: ['default', 'named', true],
  },
  'CommonJS files of the project': {
    files: {
      'main.ts': `import settings, { port } from './settings.cjs'; import { createRequire } from 'node:module';
        export default [settings.port, port, createRequire(import.meta.url)('./settings.cjs') === settings];`,
      'settings.cjs': 'exports.port = 3000; exports.file = __filename;',
    },
    gives: [3000, 3000, true],
  },
  'the package nearest to the importing file': {
    files: {
      'main.ts': `import where from 'nearest'; import inner from 'nests'; export default [where, inner];`,
    },
    gives: ['outer', 'inner'],
  },
  'a linked package is one instance that resolves from its real path': {
    files: {
      'main.ts': `import { near, url } from 'linked'; import * as direct from 'linked/direct'; export default [near, direct.near, url.includes('node_modules')];`,
    },
    gives: ['near the real place', 'near the real place', false],
  },
  JSON: {
    files: {
      'main.ts': `import one from './one.json' with { type: 'json' }; import four from 'data/four.json' with { type: 'json' };
        const { default: again } = await import('./one.json', { with: { type: 'json' } });
        import * as all from './one.json' with { type: 'json' };
        export default [one, again === one, four, Object.keys(all), Object.getPrototypeOf(one) === Object.prototype];`,
      'one.json': '{ "a": [1, null], "__proto__": 1 }',
    },
    gives: [JSON.parse('{ "a": [1, null], "__proto__": 1 }'), true, 4, ['default'], true],
  },
  'package imports': {
    files: {
      'main.ts': `import * as near from './lib/x.js'; import * as hash from '#cases/package-imports/lib/x.js'; import { format } from '#dual'; import dep from '#dep';
        const { url } = await import('#cases/package-imports/lib/x.js');
        export default [near === hash, url === near.url, format, dep];`,
      'lib/x.ts': 'export const url: string = import.meta.url;',
    },
    gives: [true, true, 'esm', 'esm'],
  },
  'self reference': {
    files: {
      'main.ts': `import * as near from './lib/x.js'; import * as self from 'shop/cases/self-reference/lib/x.js';
        const hidden = await import('shop/hidden').catch((error) => error.code);
        export default [near === self, hidden];`,
      'lib/x.ts': 'export const x: number = 1;',
    },
    gives: [true, 'ERR_PACKAGE_PATH_NOT_EXPORTED'],
  },
  'data: and node: URLs': {
    files: {
      'main.ts': `import text from 'data:text/javascript,export default "data"'; import fs from 'node:fs'; import plain from 'fs';
        export default [text, fs === plain];`,
    },
    gives: ['data', true],
  },
};
