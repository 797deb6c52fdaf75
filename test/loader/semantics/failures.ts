import type { Cases } from './case.js';

const catches = (...names: string[]) =>
  `const told = []; for (const name of ${JSON.stringify(names)})
     await import(\`./\${name}.js\`).then(() => told.push('fine'), (error) => told.push(error.message.replace(/'\\.\\.?\\/.*\\/(.*)' imported.*/, '$1')
       .replace(/ with the previous requested module .*|.*(?:cycle while resolving|'.\\/circle2.js' does not).* '(\\w)'.*/, '$1')));`;

/** Modules that throw, or cannot be linked. */
export const failures: Cases = {
  'an error of a module is thrown again without another evaluation': {
    files: {
      'main.ts': `const errors = []; for (const name of ['throws', 'throws', 'imports']) await import(\`./\${name}.js\`).catch((error) => errors.push(error));
        export default [errors.length, new Set(errors).size, errors[0].name, globalThis.tries, (await import('./fine.js')).default];`,
      'throws.ts': `globalThis.tries = (globalThis.tries ?? 0) + 1; throw new RangeError('on purpose');`,
      'imports.ts': `import './throws.js'; import './fine.js';`,
      'fine.ts': `export default 'fine';`,
    },
    gives: [3, 1, 'RangeError', 1, 'fine'],
  },
  'any value can be thrown': {
    files: {
      'main.ts': `const told = []; for (const name of ['text', 'nothing']) await import(\`./\${name}.js\`).catch((thrown) => told.push(String(thrown))); export default told;`,
      'text.ts': `throw 'text';`,
      'nothing.ts': 'throw undefined;',
    },
    gives: ['text', 'undefined'],
  },
  'importing main throws its error': {
    files: {
      'main.ts': `import './throws.js'; export default 1;`,
      'throws.ts': `throw new TypeError('on purpose');`,
    },
    gives: { throws: 'TypeError: on purpose' },
  },
  'missing exports are reported before any evaluation': {
    files: {
      'main.ts': `${catches('direct', 'again', 'default', 'stars', 'circle')} export default [told, String(globalThis.evaluated)];`,
      'effect.ts': 'globalThis.evaluated = true;',
      'direct.ts': `import './effect.js'; import { there, gone } from './b.js'; export default there + gone;`,
      'b.ts': 'export const there = 1;',
      'again.ts': `import './effect.js'; export { gone as renamed } from './b.js';`,
      'default.ts': `import './effect.js'; import b from './b.js'; export const c = b;`,
      'stars.ts': `import './effect.js'; import { both } from './conflict.js'; export const c = both;`,
      'conflict.ts': `export * from './one.js'; export * from './two.js';`,
      'one.ts': 'export const both = 1;',
      'two.ts': 'export const both = 2;',
      'circle.ts': `import './effect.js'; import { x } from './circle2.js'; export const c = x;`,
      'circle2.ts': `export { x } from './circle3.js';`,
      'circle3.ts': `export { x } from './circle2.js';`,
    },
    gives: [
      [
        `The requested module './b.js' does not provide an export named 'gone'`,
        `The requested module './b.js' does not provide an export named 'gone'`,
        `The requested module './b.js' does not provide an export named 'default'`,
        `The requested module './conflict.js' contains conflicting star exports for name 'both'`,
        'x',
      ],
      'undefined',
    ],
  },
  'missing modules have the error code of Node': {
    files: {
      'main.ts': `const codes = []; for (const name of ['./none.js', 'nowhere', 'esm/none', '#none', './imports.js'])
          await import(name).catch((error) => codes.push(error.code));
        export default codes;`,
      'imports.ts': `import './none.js';`,
    },
    gives: [
      'ERR_MODULE_NOT_FOUND',
      'ERR_MODULE_NOT_FOUND',
      'ERR_PACKAGE_PATH_NOT_EXPORTED',
      'ERR_PACKAGE_IMPORT_NOT_DEFINED',
      'ERR_MODULE_NOT_FOUND',
    ],
  },
  'a rejected top-level await rejects the importers': {
    files: {
      'main.ts': `const errors = await Promise.all(['a', 'b'].map((name) => import(\`./\${name}.js\`).catch((error) => error)));
        export default [errors[0] === errors[1], errors[0].message, String(globalThis.after)];`,
      'a.ts': `import './rejects.js'; globalThis.after = true;`,
      'b.ts': `export * from './rejects.js';`,
      'rejects.ts': `await Promise.resolve(); await Promise.reject(new Error('late'));`,
    },
    gives: [true, 'late', 'undefined'],
  },
};
