import type { Cases } from './case.js';

const places = `export const places = (error: Error) => [...error.stack.matchAll(/at (?:(.*) \\()?(?:file:\\/\\/)?\\S*\\/(\\S+?):(\\d+):(\\d+)\\)?$/gm)]
  .filter(([, , file]) => /^(main|b)\\.ts$/.test(file)).map(([, , file, line, column]) => file + ':' + line + ':' + column);
export const thrown = (act: () => unknown) => { try { act(); } catch (error) { return places(error); } };`;

/** Lines and columns of errors refer to the source. */
export const stacks: Cases = {
  'stack traces point to the source': {
    files: {
      'main.ts': `import { thrown } from './places.js';
import { fail, Thing } from './b.js';

interface Long {
  one: string;
}
enum Kind { A, B }
const object = { method(it?: Long) {   fail('é😀'); }, get prop(): string { return   (null as any).x; } };
export default [
  thrown(() => object.method()).slice(0, 3),
  thrown(() => object.prop).slice(0, 2),
  thrown(() => { const a: Kind = Kind.B;    throw Object.assign(new Error('here'), { a }); }).slice(0, 1),
  thrown(() => new Thing(2).go<Long>()).slice(0, 2),
];
`,
      'b.ts': `type X = { x: number };
export function fail(why: string): never { if (why)   throw new TypeError(why); }
export class Thing { constructor(private readonly n: number) {} go<T>(it?: T & Partial<X>): never { throw new Error('boom'); } }
`,
      'places.ts': places,
    },
    gives: [
      ['b.ts:2:61', 'main.ts:8:40', 'main.ts:10:23'],
      ['main.ts:8:100', 'main.ts:11:23'],
      ['main.ts:12:65'],
      ['b.ts:3:107', 'main.ts:13:29'],
    ],
  },
};
