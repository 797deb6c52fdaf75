import type { Random } from './random.js';

// Programs that lead ctx from hand to hand, in ways that are put together at random, until something calls ctx.s1.m0().

interface Program {
  /** Declarations of the module. */
  readonly top: string[];
  names: number;
}

type Way = (given: string, rest: (given: string) => string, program: Program, name: string) => string;

/** What becomes of `given`, an expression for ctx: statements, in which `rest` goes on with another expression. */
const WAYS: Readonly<Record<string, Way>> = {
  alias: (given, rest, _, x) => `const ${x} = ${given};\n${rest(x)}`,
  later: (given, rest, _, x) => `let ${x};\n${x} = ${given};\n${rest(x)}`,
  comma: (given, rest, _, x) => `const ${x} = (0, ${given} ?? {});\n${rest(x)}`,
  condition: (given, rest, _, x) => `const ${x} = Date.now() ? ${given} : null;\n${rest(x)}`,
  closure: (given, rest, _, x) => `const ${x} = () => {\n${rest(given)}\n};\nreturn ${x}();`,
  called: (given, rest) => `return (() => {\n${rest(given)}\n})();`,
  function: (given, rest, { top }, x) =>
    hoist(top, `function ${x}(${x}c) {\n${rest(`${x}c`)}\n}`, `return ${x}(${given});`),
  arrow: (given, rest, { top }, x) =>
    hoist(top, `const ${x} = (a, ${x}c) => {\n${rest(`${x}c`)}\n};`, `return ${x}?.(1, ${given});`),
  object: (given, rest, { top }, x) =>
    hoist(
      top,
      `const ${x} = ({ c: { d: ${x}d } }) => {\n${rest(`${x}d`)}\n};`,
      `return ${x}({ c: { d: ${given} } });`,
    ),
  reassigned: (given, rest, { top }, x) =>
    hoist(
      top,
      `let ${x} = (${x}c) => {};\n${x} = (${x}c) => {\n${rest(`${x}c`)}\n};`,
      `return ${x}(${given});`,
    ),
  default: (given, rest, _, x) =>
    `const ${x} = (a, ${x}c = ${given}) => {\n${rest(`${x}c`)}\n};\nreturn ${x}();`,
  rest: (given, rest, { top }, x) =>
    hoist(top, `const ${x} = (...${x}all) => {\n${rest(`${x}all[1]`)}\n};`, `return ${x}(0, ${given});`),
  arguments: (given, rest, { top }, x) =>
    hoist(
      top,
      `function ${x}() {\nconst ${x}c = arguments[0];\n${rest(`${x}c`)}\n}`,
      `return ${x}(${given});`,
    ),
  call: (given, rest, { top }, x) =>
    hoist(top, `function ${x}() {\nconst ${x}c = this;\n${rest(`${x}c`)}\n}`, `return ${x}.call(${given});`),
  apply: (given, rest, { top }, x) =>
    hoist(top, `function ${x}(${x}c) {\n${rest(`${x}c`)}\n}`, `return ${x}.apply(null, [${given}]);`),
  bind: (given, rest, { top }, x) =>
    hoist(top, `function ${x}(${x}c) {\n${rest(`${x}c`)}\n}`, `return ${x}.bind(null, ${given})();`),
  field: (given, rest, { top }, x) =>
    hoist(
      top,
      `class ${x} {\nconstructor(${x}c) { this.f = ${x}c; }\ngo() {\nconst ${x}d = this.f;\n${rest(`${x}d`)}\n}\n}`,
      `return new ${x}(${given}).go();`,
    ),
  private: (given, rest, { top }, x) =>
    hoist(
      top,
      `class ${x} {\n#f;\nconstructor(${x}c) { this.#f = ${x}c; }\ngo() {\nconst ${x}c = this.#f;\n${rest(`${x}c`)}\n}\n}`,
      `return new ${x}(${given}).go();`,
    ),
  parent: (given, rest, { top }, x) =>
    hoist(
      top,
      `class ${x} {\nconstructor(${x}c) { this.p = ${x}c; }\n}\nclass ${x}b extends ${x} {\ngo() {\nconst ${x}c = this.p;\n${rest(`${x}c`)}\n}\n}`,
      `return new ${x}b(${given}).go();`,
    ),
  static: (given, rest, { top }, x) =>
    hoist(top, `class ${x} {\nstatic held;\n}`, `${x}.held = ${given};\n${rest(`${x}.held`)}`),
  method: (given, rest, { top }, x) =>
    hoist(top, `class ${x} {\ngo(${x}c) {\n${rest(`${x}c`)}\n}\n}`, `return new ${x}().go(${given});`),
  this: (given, rest, _, x) =>
    `const ${x} = { t: ${given}, go() {\nconst ${x}c = this.t;\n${rest(`${x}c`)}\n} };\nreturn ${x}.go();`,
  nested: (given, rest, _, x) => `const ${x} = { a: { b: ${given} } };\n${rest(`${x}.a.b`)}`,
  property: (given, rest, _, x) => `const ${x} = {};\n${x}.held = ${given};\n${rest(`${x}.held`)}`,
  computed: (given, rest, _, x) => `const ${x} = {};\n${x}['k' + 1] = ${given};\n${rest(`${x}.k1`)}`,
  symbol: (given, rest, _, x) =>
    `const ${x} = Symbol();\nconst ${x}o = { [${x}]: ${given} };\n${rest(`${x}o[${x}]`)}`,
  getter: (given, rest, _, x) => `const ${x} = { get c() { return ${given}; } };\n${rest(`${x}.c`)}`,
  returned: (given, rest, _, x) => `const ${x} = () => ${given};\n${rest(`${x}()`)}`,
  list: (given, rest, _, x) => `const [${x}] = [${given}];\n${rest(x)}`,
  map: (given, rest, _, x) => `return [${given}].map((${x}) => {\n${rest(x)}\n});`,
  Map: (given, rest, _, x) => `const ${x} = new Map([['c', ${given}]]);\n${rest(`${x}.get('c')`)}`,
  spread: (given, rest, _, x) => `const ${x} = { ...${given} };\n${rest(x)}`,
  assign: (given, rest, _, x) => `const ${x} = Object.assign({}, ${given});\n${rest(x)}`,
  remaining: (given, rest, _, x) => `const { ${x}z, ...${x} } = ${given};\n${rest(x)}`,
  generator: (given, rest, _, x) =>
    `function* ${x}g() { yield ${given}; }\nfor (const ${x} of ${x}g()) {\n${rest(x)}\n}`,
  thrown: (given, rest, _, x) => `try { throw ${given}; } catch (${x}) {\n${rest(x)}\n}`,
  tag: (given, rest, { top }, x) =>
    hoist(top, `const ${x} = (s, ${x}c) => {\n${rest(`${x}c`)}\n};`, `return ${x}\`\${${given}}\`;`),
  module: (given, rest, { top }, x) =>
    hoist(top, `let ${x};\nconst ${x}f = () => {\n${rest(x)}\n};`, `${x} = ${given};\nreturn ${x}f();`),
  kept: (given, rest, { top }, x) =>
    hoist(top, `const ${x} = [];`, `${x}.push(${given});\n${rest(`${x}[0]`)}`),
  shadowed: (given, rest, _, x) =>
    `const ${x} = ${given};\n{ const ctx = { s2: 1 }; void ctx.s2; }\n${rest(x)}`,
  'a function by name': (given, rest, _, x) =>
    `const ${x} = { go: (${x}c) => {\n${rest(`${x}c`)}\n} };\nreturn ${x}.go(${given});`,
  'a pattern assigned': (given, rest, _, x) => `let ${x};\n({ c: ${x} } = { c: ${given} });\n${rest(x)}`,
  'a pattern over a loop': (given, rest, _, x) =>
    `for (const { c: ${x} } of [{ c: ${given} }]) {\n${rest(x)}\n}`,
  'or later': (given, rest, _, x) => `let ${x};\n${x} ??= ${given};\n${rest(x)}`,
};

/** The last step: ctx.s1.m0 is called. */
const ENDS: readonly ((given: string) => string)[] = [
  (given) => `return ${given}.s1.m0();`,
  (given) => `return ${given}?.s1?.m0?.();`,
  (given) => `return ${given}['s1'].m0();`,
  (given) => `return ${given}['s' + 1].m0();`,
  (given) => `const { s1 } = ${given};\nreturn s1.m0();`,
  (given) => `const { s1: { m0 } } = ${given};\nreturn m0();`,
  (given) => `const { ['s1']: one } = ${given};\nreturn one.m0();`,
  (given) => `let one;\none = ${given}.s1;\nreturn one['m' + 0]();`,
  (given) => `return [${given}.s1].map((one) => one.m0());`,
  (given) => `const go = (one) => one.m0();\nreturn go(${given}.s1);`,
  (given) => `const { m0 } = ${given}.s1;\nreturn Reflect.apply(m0, null, []);`,
  (given) => `return Object.values(${given}.s1)[0]();`,
];

const hoist = (top: string[], declaration: string, use: string): string => {
  top.push(declaration);
  return use;
};

export interface Hidden {
  /** The names of the ways that ctx takes. */
  readonly ways: readonly string[];
  /** A module whose default export is a route. */
  readonly text: string;
  /** Statements that return its handler. */
  readonly script: string;
}

/** A route that calls ctx.s1.m0(), by some ways. */
export function hidden(r: Random): Hidden {
  const program: Program = { top: [], names: 0 };
  const ways = Array.from({ length: 1 + r.below(4) }, () => r.pick(Object.keys(WAYS)));
  const end = r.pick(ENDS);
  const step = (given: string, at: number): string => {
    const way = WAYS[ways[at] ?? ''];
    if (!way) return end(given);
    program.names += 1;
    return way(given, (next) => step(next, at + 1), program, `n${program.names}`);
  };
  const body = step('ctx', 0);
  const handler = `(req, res, ctx) => {\n${body}\n}`;
  const top = program.top.join('\n');
  return {
    ways,
    text: `import { get } from 'fwkit';\n${top}\nexport default get(${handler});\n`,
    script: `${top}\nreturn ${handler};`,
  };
}
