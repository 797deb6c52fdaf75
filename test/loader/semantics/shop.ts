import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Files, type Project, project } from '../../harness/project.js';
import { MAIN } from '../../harness/settings.js';
import { route } from '../../harness/source.js';
import type { Cases } from './case.js';

const modules: Files = {
  'cjs/index.js': `exports.named = 'cjs'; exports.load = () => import('./late.mjs');`,
  'cjs/late.mjs': `export default 'late';`,
  'transpiled/index.js': `Object.defineProperty(exports, '__esModule', { value: true }); exports.default = 'default'; exports.named = 'named';`,
  'esm/package.json': '{ "type": "module", "exports": { ".": "./index.js", "./sub": "./sub.js" } }',
  'esm/index.js': `export const instance = {}; export default 'esm';`,
  'esm/sub.js': `export { instance } from 'esm';`,
  'dual/package.json': '{ "exports": { "import": "./index.mjs", "require": "./index.cjs" } }',
  'dual/index.mjs': `export const format = 'esm';`,
  'dual/index.cjs': `exports.format = 'cjs';`,
  'nearest/index.js': `module.exports = 'outer';`,
  'nests/index.js': `module.exports = require('nearest');`,
  'nests/node_modules/nearest/index.js': `module.exports = 'inner';`,
  'reads-order/package.json': '{ "type": "module", "exports": "./index.js" }',
  'reads-order/index.js': 'export default [...globalThis.order];',
  'data/four.json': '4',
};

const linked: Files = {
  'packages/linked/package.json':
    '{ "type": "module", "exports": { ".": "./index.js", "./direct": "./direct.js" } }',
  'packages/linked/index.js': `export { near } from './direct.js'; export const { url } = import.meta;`,
  'packages/linked/direct.js': `export { default as near } from 'near';`,
  'packages/node_modules/near/index.js': `module.exports = 'near the real place';`,
};

const compilerOptions = {
  target: 'es2022',
  module: 'nodenext',
  rootDir: 'src',
  outDir: 'dist',
  sourceMap: true,
  allowJs: true,
  // Cases test runtime behavior, with or without type errors. A transform of one file knows no declarations of others.
  noCheck: true,
  isolatedModules: true,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
};

export const slug = (does: string): string => does.toLowerCase().replace(/\W+/g, '-');

/** A project that answers `GET /api/cases` with the result of each case. */
export function shop(cases: Cases): Project {
  const names = Object.keys(cases);
  const made = project({
    'package.json': JSON.stringify({
      name: 'shop',
      type: 'module',
      // The compiled files, as published.
      exports: { './cases/*': './dist/cases/*' },
      imports: { '#cases/*': './dist/cases/*', '#dual': { import: 'dual', require: 'cjs' }, '#dep': 'esm' },
    }),
    'tsconfig.json': JSON.stringify({ compilerOptions, include: ['src', '.fwk/**/*'] }),
    'main.ts': MAIN,
    'api/cases.get.ts': route(`async () => {
        const outcomes = [];
        for (const name of ${JSON.stringify(names.map(slug))}) {
          try {
            const { default: value } = await import(\`../cases/\${name}/main.js\`);
            outcomes.push(await (typeof value === 'function' ? value() : value));
          } catch (error) {
            outcomes.push({ throws: String(error) });
          }
        }
        return outcomes;
      }`),
    ...under('node_modules', modules),
    ...linked,
  });
  mkdirSync(path.join(made.root, 'node_modules'), { recursive: true });
  symlinkSync('../packages/linked', path.join(made.root, 'node_modules/linked'));
  for (const [does, { files }] of Object.entries(cases))
    for (const [file, text] of Object.entries(files))
      writeFile(path.join(made.root, 'src/cases', slug(does), file), text);
  return made;
}

/** Cases are source files regardless of their extension. */
function writeFile(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const under = (folder: string, files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]));
