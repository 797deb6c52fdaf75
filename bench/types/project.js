/** Writes the projects to compare: one route per file, and a client file whose calls are spread over the routes. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DATABASE } from './shapes.js';
import elysia from './subjects/elysia.js';
import fwk from './subjects/fwk.js';
import hono from './subjects/hono.js';
import plain from './subjects/plain.js';
import trpc from './subjects/trpc.js';
import { childrenCpu } from './usage.js';

export const SUBJECTS = { plain, fwk, trpc, elysia, hono };

// Inside this folder, so that the compilers find the packages of this benchmark.
const HOME = join(import.meta.dirname, '.generated');

export const CLIENT = 'src/client.ts';

const CONFIG = {
  compilerOptions: {
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
  },
  include: ['src', '.fwk/**/*'],
};

/** Writes a project. Returns its root, and the CPU time to generate its types in milliseconds. */
export function writeProject(name, routes, calls) {
  const subject = SUBJECTS[name];
  const root = join(HOME, `${name}-${routes}-${calls}`);
  rmSync(root, { recursive: true, force: true });
  const indices = Array.from({ length: routes }, (_, index) => index);
  const files = {
    'package.json': '{ "private": true, "type": "module" }\n',
    'tsconfig.json': JSON.stringify(CONFIG),
    'src/db.ts': DATABASE,
    ...Object.fromEntries(indices.map((index) => [subject.routeFile(index), subject.route(index)])),
    ...subject.app?.(indices),
    ...(subject.call ? { [CLIENT]: clientOf(subject, routes, calls) } : {}),
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  const before = childrenCpu();
  subject.prepare?.(root);
  return { root, prepared: childrenCpu() - before };
}

function clientOf({ opening, call }, routes, calls) {
  const called = Array.from({ length: calls }, (_, index) => Math.floor((index * routes) / calls));
  return `${opening}let text: string;
let number: number;
${called.map((index) => `{\n${call(index)}}\n`).join('')}export {};
`;
}
