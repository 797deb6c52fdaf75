/**
 * A project to edit, in two sizes: routes in folders with a middleware each, and services that depend on each other.
 */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const SMALL = { routes: 20, services: 3, middlewares: 2 };
export const LARGE = { routes: 2000, services: 300, middlewares: 100 };

/** The number of middlewares that run for every route. Each other middleware belongs to one folder. */
const GLOBAL_MIDDLEWARES = 2;

export const ROUTE = '/api/f0/r0';

const repo = join(import.meta.dirname, '../..');

/** Writes the project into `root`. Returns functions that save one of its files and return the saved version. */
export function writeEditedProject(root, { routes, services, middlewares }) {
  rmSync(root, { recursive: true, force: true });
  const write = (name, text) => {
    const file = join(root, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  const folders = Math.max(1, middlewares - GLOBAL_MIDDLEWARES);
  for (let index = 0; index < routes; index += 1) {
    const method = index % 4 === 3 ? 'post' : 'get';
    write(`src/api/f${index % folders}/r${index}.${method}.ts`, routeText(index, method, 0));
  }
  for (let index = 0; index < services; index += 1) write(`src/services/s${index}.ts`, serviceText(index, 0));
  for (let index = 0; index < middlewares; index += 1) {
    const name =
      index < GLOBAL_MIDDLEWARES ? `middlewares/m${index}` : `api/f${index - GLOBAL_MIDDLEWARES}/_middleware`;
    write(`src/${name}.ts`, middlewareText(0));
  }
  write('package.json', '{ "private": true, "type": "module" }\n');
  write('src/main.ts', `import { bootstrap } from 'fwkit';\n\nawait bootstrap();\n`);
  write(
    'src/first.test.ts',
    `import { test } from 'node:test';
import { createTestApp } from 'fwkit/testing';

test('the first route', async () => {
  const app = await createTestApp();
  await app.get('${ROUTE}');
  await app.close();
});
`,
  );
  write(
    'tsconfig.json',
    JSON.stringify({
      compilerOptions: {
        target: 'es2023',
        module: 'nodenext',
        rootDir: 'src',
        outDir: 'dist',
        strict: true,
        skipLibCheck: true,
      },
      include: ['src', '.fwk/**/*'],
    }),
  );
  mkdirSync(join(root, 'node_modules/@types'), { recursive: true });
  symlinkSync(repo, join(root, 'node_modules/fwkit'));
  symlinkSync(join(repo, 'node_modules/@types/node'), join(root, 'node_modules/@types/node'));
  return {
    route: (version) => write('src/api/f0/r0.get.ts', routeText(0, 'get', version)),
    service: (version) => write('src/services/s0.ts', serviceText(0, version)),
    middleware: (version) => write('src/api/f0/_middleware.ts', middlewareText(version)),
  };
}

const routeText = (index, method, version) => `import { ${method} } from 'fwkit';

export default ${method}((req, res, ctx) => ({
  route: ${version},
  index: ${index},
  service: ctx.s0.version,
}));
`;

const serviceText = (index, version) => `import { service } from 'fwkit';

export default service((ctx) => ({ version: ${version}, reads: () => ${index > 0 ? `ctx.s${index - 1}.version` : 0} }));
`;

const middlewareText = (version) => `import { middleware } from 'fwkit';

export default middleware((req, res, ctx, next) => {
  res.header('x-middleware', '${version}');
  return next();
});
`;
