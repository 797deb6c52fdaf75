import type { Cases } from './case.js';

/** When a module is evaluated, and which of its exports other modules can read by then. */
export const order: Cases = {
  'a module waits for the top-level await of its imports': {
    files: {
      'main.ts': `import { log } from './log.js'; import './slow.js'; log.push('main'); export default log;`,
      'slow.ts': `import { log } from './log.js'; await new Promise((done) => setImmediate(done)); log.push('slow');`,
      'log.ts': 'export const log: string[] = [];',
    },
    gives: ['slow', 'main'],
  },
  'modules and packages are evaluated in the order of the imports': {
    files: {
      'main.ts': `import './before.js'; import seen from 'reads-order'; import './after.js'; import log from './log.js';
        export default [seen, log];`,
      'before.ts': `globalThis.order = ['before'];`,
      'after.ts': `globalThis.order.push('after');`,
      'log.ts': 'export default globalThis.order;',
    },
    gives: [['before'], ['before', 'after']],
  },
  'evaluation is depth-first, once per module': {
    files: {
      'main.ts': `import './left.js'; import './right.js'; import { log } from './log.js'; log.push('main'); export default log;`,
      'left.ts': `import './shared.js'; import { log } from './log.js'; log.push('left');`,
      'right.ts': `import { log } from './log.js'; import './shared.js'; log.push('right');`,
      'shared.ts': `import { log } from './log.js'; log.push('shared');`,
      'log.ts': 'export const log: string[] = [];',
    },
    gives: ['shared', 'left', 'right', 'main'],
  },
  'imports are hoisted above the statements before them': {
    files: {
      'main.ts': `globalThis.hoisted = 'main'; import { seen } from './reads.js'; export default seen;`,
      'reads.ts': `export const seen = String(globalThis.hoisted);`,
    },
    gives: 'undefined',
  },
  'functions of a cycle can be called before their module is evaluated': {
    files: {
      'main.ts': `import { odd } from './odd.js'; export function even(n: number): boolean { return n === 0 || odd(n - 1); }
        import { early } from './odd.js'; export default [even(10), early];`,
      'odd.ts': `import { even } from './main.js'; export function odd(n: number): boolean { return n !== 0 && even(n - 1); }
        export const early = even(4);`,
    },
    gives: [true, true],
  },
  'a function of a cycle uses the imports of its module before that is evaluated': {
    files: {
      'main.ts': `import { unit } from './unit.js'; import { early } from './early.js';
        export function area(n: number) { return n * n + unit(); } export default early;`,
      'early.ts': `import { area } from './main.js'; export const early = area(3);`,
      'unit.ts': `export const unit = () => ' m²';`,
    },
    gives: '9 m²',
  },
  'a default function without a name is hoisted too': {
    files: {
      'main.ts': `import { early } from './early.js'; export default function () { return (() => early)(); }`,
      'early.ts': `import main from './main.js'; export const early = typeof main;`,
    },
    gives: 'function',
  },
  'an uninitialized binding of a cycle cannot be read': {
    files: {
      'main.ts': `const told = []; for (const name of ['let', 'default', 'class']) await import(\`./\${name}.js\`).catch((error) => told.push(name === 'default' ? error.name : String(error)));
        export default told;`,
      'let.ts': `import './reads-let.js'; export let later = 1;`,
      'reads-let.ts': `import { later } from './let.js'; export const now = later;`,
      'default.ts': `import './reads-default.js'; export default () => 1;`,
      'reads-default.ts': `import value from './default.js'; value();`,
      'class.ts': `import './reads-class.js'; export class Later {}`,
      'reads-class.ts': `import * as all from './class.js'; new all.Later();`,
    },
    gives: [
      `ReferenceError: Cannot access 'later' before initialization`,
      'ReferenceError',
      `ReferenceError: Cannot access 'Later' before initialization`,
    ],
  },
  'a var of a cycle is undefined until then': {
    files: {
      'main.ts': `import { early } from './early.js'; export var later = 1; export default early;`,
      'early.ts': `import { later } from './main.js'; export const early = String(later);`,
    },
    gives: 'undefined',
  },
  'members of a cycle that are imported at once are evaluated in the order of the first import': {
    files: {
      'main.ts': `const [a, b] = await Promise.all([import('./a.js'), import('./b.js')]); export default [a.a, b.later()];`,
      'a.ts': `import './slow.js'; import { b } from './b.js'; export const a = b + 1;`,
      'b.ts': `import { a } from './a.js'; export const b = 1; export const later = () => a;`,
      'slow.ts': `await new Promise((done) => setImmediate(done));`,
    },
    gives: [2, 2],
  },
  'siblings of a module with a top-level await continue': {
    files: {
      'main.ts': `import './slow.js'; import './after.js'; import { log } from './log.js'; log.push('main'); export default log;`,
      'slow.ts': `import { log } from './log.js'; log.push('begins'); await new Promise((done) => { globalThis.goOn = done; }); log.push('ends');`,
      'after.ts': `import { log } from './log.js'; import './quick.js'; log.push('after'); globalThis.goOn();`,
      'quick.ts': `import { log } from './log.js'; log.push('quick'); await null; log.push('quick ends');`,
      'log.ts': 'export const log: string[] = [];',
    },
    gives: ['begins', 'quick', 'quick ends', 'after', 'ends', 'main'],
  },
  'an error prevents the evaluation of later modules': {
    files: {
      'main.ts': `const error = await import('./all.js').catch((thrown) => thrown); export default [error.message, String(globalThis.afterThrow)];`,
      'all.ts': `import './throws.js'; import './after.js';`,
      'throws.ts': `throw new Error('first');`,
      'after.ts': 'globalThis.afterThrow = true;',
    },
    gives: ['first', 'undefined'],
  },
  'a module can await an import of a later one': {
    files: {
      'main.ts': `import { en } from './language.js'; import { plural } from './plural.js'; export default en + plural;`,
      'language.ts': `export const { en } = await import('./en.js');`,
      'en.ts': `import { plural } from './plural.js'; export const en = 'book' + plural;`,
      'plural.ts': `export const plural = 's';`,
    },
    gives: 'bookss',
  },
  'a module can import itself': {
    files: {
      'main.ts': `import * as self from './main.js'; import { own as same } from './main.js'; export let own = 1; own += 1;
        export default async () => [self.own, same, (await import('./main.js')) === self];`,
    },
    gives: [2, 2, true],
  },
  'a module is one instance, however it is imported': {
    files: {
      'main.ts': `import * as direct from './one.js'; import { again } from './again.js';
        const url = new URL('./one.js', import.meta.url);
        const dynamic = [await import('./one.js'), await import('.' + '/one.js'), await import(import.meta.resolve('./one.js'))];
        export default [again === direct.it, ...dynamic.map((namespace) => namespace === direct), url.protocol, globalThis.ones];`,
      'again.ts': `export { it as again } from './sub/../one.js';`,
      'one.ts': 'export const it = {}; globalThis.ones = (globalThis.ones ?? 0) + 1;',
    },
    gives: [true, true, true, true, 'file:', 1],
  },
};
