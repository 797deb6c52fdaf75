/** Writes TypeScript projects with any number of routes, and builds them for production. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RESOURCES } from './fixtures.js';

const FWK = join(import.meta.dirname, '../../cli/fwk.js');
const HOME = join(import.meta.dirname, '../.generated');

const HANDLERS = {
  'index.get.ts': (name) => ['get', '() =>', `{ ${name} }`],
  'index.post.ts': (name) => ['post', '() =>', `{ ${name} }`],
  '[id].get.ts': (name) => ['get', '({ params, query }) =>', `{ ${name}, id: params.id, q: query.q }`],
  '[id].put.ts': (name) => ['put', '({ params }) =>', `{ ${name}, id: params.id }`],
  '[id]/parts/[partId].get.ts': (name) => [
    'get',
    '({ params }) =>',
    `{ ${name}, id: params.id, part: params.partId }`,
  ],
};
const FORMS = Object.entries(HANDLERS);

const FILES = {
  'package.json': '{ "private": true, "type": "module" }\n',
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      target: 'es2022',
      lib: ['es2023'],
      module: 'nodenext',
      types: [],
      rootDir: 'src',
      outDir: 'dist',
      strict: false,
      skipLibCheck: true,
    },
    include: ['src', '.fwk/**/*'],
  }),
  'src/main.ts': `import { bootstrap } from 'fwkit';\n\nawait bootstrap();\n`,
};

/** Runs `fwk <args>` in a project, and returns its stdout. */
export const fwk = (root, ...args) =>
  execFileSync(process.execPath, [FWK, ...args, '--dir', root], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env: { ...process.env, NODE_ENV: '' },
  });

/** Writes a project with `count` routes, five per resource. Returns its root. */
export function writeProject(count) {
  const root = join(HOME, `routes-${count}`);
  rmSync(root, { recursive: true, force: true });
  for (let index = 0; index < count; index += 1) {
    const resource = resourceAt(Math.floor(index / FORMS.length));
    const [form, handler] = FORMS[index % FORMS.length];
    const [method, head, value] = handler(`resource: '${resource}'`);
    write(
      root,
      `src/api/v1/${resource}/${form}`,
      `import { ${method} } from 'fwkit';\n\nexport default ${method}(${head} (${value}));\n`,
    );
  }
  for (const [name, text] of Object.entries(FILES)) write(root, name, text);
  return root;
}

/** Returns the name of the nth resource: first the names of the fixtures, then the same names with numbers. */
export function resourceAt(index) {
  const round = Math.floor(index / RESOURCES.length);
  return RESOURCES[index % RESOURCES.length] + (round === 0 ? '' : round);
}

/** Writes and builds a project with `count` routes. Returns its entry file. */
export function buildProject(count) {
  const root = writeProject(count);
  fwk(root, 'build');
  return join(root, 'dist/main.js');
}

function write(root, name, text) {
  const file = join(root, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
