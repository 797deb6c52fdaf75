import type { Cases } from './case.js';

/** TypeScript's additions to the language. */
export const typescript: Cases = {
  enums: {
    files: {
      'main.ts': `import { Level, Name } from './level.js'; enum Colour { Red = 1, Blue = Red << 2, Text = 'blue'.length }
        enum Colour { Green = 10 } const enum Size { Small = 'S', Large = \`\${Small}L\` }
        export default [Colour.Blue, Colour[1], Colour.Text, Colour.Green, Size.Large, Level.High, Level[0], Name.A, Object.keys(Colour).length];`,
      'level.ts': `export enum Level { Low, High } export const enum Name { A = 'a' }`,
    },
    gives: [4, 'Red', 4, 10, 'SL', 1, 'Low', 'a', 7],
  },
  namespaces: {
    files: {
      'main.ts': `import { Shape } from './shape.js'; namespace Local { export const a = 1; } namespace Local { export const b = Local.a + 1; }
        function call() { return call.count; } namespace call { export const count = 3; }
        export default [Shape.sides, Shape.Inner.x, Shape.double(4), Local.b, call()];`,
      'shape.ts': `export namespace Shape { export const sides = 4; export namespace Inner { export const x = sides * 2; }
        export function double(n: number) { return n * 2; } export interface Gone {} }`,
    },
    gives: [4, 8, 8, 2, 3],
  },
  'parameter properties and class fields': {
    files: {
      'main.ts': `class Base { constructor() { this.init(); } init() {} }
        class Sub extends Base { x: number; y = 1; static made = 'static'; #hidden = 7; declare gone: number; init() { this.x = 1; this.y = 2; } hidden() { return this.#hidden; } }
        class Point { sum = 0; constructor(readonly x: number, private y = 2, public override?: string) { this.sum = x + y; } }
        const sub = new Sub();
        export default ['x' in sub, String(sub.x), sub.y, Sub.made, sub.hidden(), 'gone' in sub, new Point(1), Object.keys(new Point(1))];`,
    },
    gives: [true, 'undefined', 1, 'static', 7, false, { x: 1, y: 2, sum: 3 }, ['x', 'y', 'override', 'sum']],
  },
  'types and type-only imports are removed': {
    files: {
      'main.ts': `import type { Gone } from './gone.js'; import { type Also, value } from './value.js'; import { Shape } from './shape.js';
        export type { Gone } from './gone.js'; export { type Also as Other } from './value.js';
        const it = (value as Also) satisfies Also; declare const never: Gone; abstract class A<T> { abstract x: T; }
        export interface Only { a: A<typeof never>; s: Shape }
        function over(a: string): void; function over(a: unknown) { return a!; }
        export default [it, over('x'), String(globalThis.shapes)];`,
      'gone.ts': `globalThis.shapes = 'gone'; export interface Gone {}`,
      'shape.ts': `globalThis.shapes = 'shape'; export interface Shape {}`,
      'value.ts': 'export type Also = number; export const value = 1;',
    },
    gives: [1, 'x', 'undefined'],
  },
  'legacy decorators with metadata': {
    files: {
      'main.ts': `import { Store } from './store.js';
        const seen: unknown[] = []; const name = (type: unknown) => Array.isArray(type) ? type.map((one) => one.name) : type?.name;
        Object.assign(Reflect, { metadata: (key: string, value: unknown) => () => { seen.push([key, name(value)]); } });
        const inject = (_: object, name: string | undefined, index: number) => { seen.push(['inject', String(name), index]); };
        const mark = (target: object, name: string) => { seen.push(['mark', name]); };
        const service = (type: Function) => { seen.push(['service', type.name]); };
        @service class Books {
          @mark title: string = 'x';
          constructor(@inject readonly store: Store, readonly name: string) {}
          @mark find(id: number, all?: Store[], when?: Date | null): boolean { return id > 0; }
          @mark static of(promise: Promise<Store>, any: any): void {}
        }
        export default [seen, new Books(new Store(), 'n').title];`,
      'store.ts': 'export class Store {}',
    },
    gives: [
      [
        ['design:type', 'String'],
        ['mark', 'title'],
        ['design:returntype', 'Boolean'],
        ['design:paramtypes', ['Number', 'Array', 'Object']],
        ['design:type', 'Function'],
        ['mark', 'find'],
        ['design:returntype', null],
        ['design:paramtypes', ['Promise', 'Object']],
        ['design:type', 'Function'],
        ['mark', 'of'],
        ['design:paramtypes', ['Store', 'String']],
        ['inject', 'undefined', 0],
        ['service', 'Books'],
      ],
      'x',
    ],
  },
  'using and await using': {
    files: {
      'main.ts': `const log: string[] = [];
        Symbol.dispose ??= Symbol.for('Symbol.dispose'); Symbol.asyncDispose ??= Symbol.for('Symbol.asyncDispose');
        const open = (name: string) => ({ name, [Symbol.dispose]: () => log.push('close ' + name) });
        const slow = (name: string) => ({ name, [Symbol.asyncDispose]: async () => { await null; log.push('slow close ' + name); } });
        { using a = open('a'), b = open('b'); await using c = slow('c'); using none = null; log.push(a.name + b.name + c.name); }
        try { using d = open('d'); throw new Error('in block'); } catch (error) { log.push(error.message); }
        for (using e of [open('e'), open('f')]) log.push(e.name);
        using last = open('last'); export const kept = last.name; export function hoisted() { return kept; }
        export default () => [log, hoisted()];`,
    },
    gives: [
      [
        'abc',
        'slow close c',
        'close b',
        'close a',
        'close d',
        'in block',
        'e',
        'close e',
        'f',
        'close f',
        'close last',
      ],
      'last',
    ],
  },
  '.js resolves to .ts, and other extensions likewise': {
    files: {
      'main.ts': `import { ts } from './x.js'; import { mts } from './y.mjs'; import { dotted } from './z.service.js'; import { index } from './dir/index.js';
        import { plain } from './plain.js'; import { jsx } from './view.js'; export default [ts, mts, dotted, index, plain, jsx];`,
      'x.ts': `export const ts: string = 'ts';`,
      'y.mts': `export const mts: string = 'mts';`,
      'z.service.ts': `export const dotted: string = 'service';`,
      'dir/index.ts': `export const index: string = 'index';`,
      'plain.ts': `export const plain = 'plain';`,
      'view.tsx': `const h = (tag: string) => [tag] as const; export const jsx = h('b');`,
    },
    gives: ['ts', 'mts', 'service', 'index', 'plain', ['b']],
  },
};
