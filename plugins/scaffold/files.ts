import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { emitModule } from '../../contributions/index.js';
import type { Generation, Output } from '../../kernel/index.js';
import { readPackage } from '../../loader/index.js';
import { isPlaceholder } from './placeholder.js';

/** Packages of servers that answer requests themselves. */
const SERVERS =
  /^(?:express|fastify|koa|hono|h3|polka|restify|next|nuxt|@hapi\/hapi|@nestjs\/core|@adonisjs\/core|@sveltejs\/kit|@remix-run\/\w+)$/;

/** Whether the project answers requests already: with routes other than the `starters`, or with another server. */
export function hasRoutes({ project }: Generation, starters: readonly Output[]): boolean {
  const own = new Set(starters.map(({ path }) => path));
  if (project.entries.some(({ kind, file }) => ROUTES.includes(kind) && !own.has(project.display(file))))
    return true;
  const { dependencies } = (readPackage(project.root) ?? {}) as Manifest;
  return Object.keys(dependencies ?? {}).some((name) => SERVERS.test(name));
}

const ROUTES = ['api', 'web', 'ws', 'mcp'];

/** Emit the entry file, the config, a test of the starters that were `emitted`, and the files of the root. */
export function emitFiles(generation: Generation, emitted: readonly string[]): void {
  const { project, emit, warn } = generation;
  const typescript = project.language === 'ts';
  emitModule(generation, 'main', () => MAIN);
  emitModule(generation, 'fwk.config', () => CONFIG);
  emit({ path: '.gitignore', contents: GITIGNORE, ifExists: 'lines' });
  if (typescript) emit({ path: 'tsconfig.json', contents: TSCONFIG, ifExists: 'keep' });

  const main = typescript ? 'dist/main.js' : 'main.js';
  const test = emitTest(generation, emitted);
  const scripts = {
    dev: 'fwk dev',
    build: 'fwk build',
    start: `node ${main}`,
    ...(test !== undefined && { test }),
    // The Node version of a machine is not a mistake of the project.
    check: typescript ? 'fwk types --check' : 'fwk doctor',
  };
  const name = nameOf(project.root);
  emitReadme(generation, { title: name ?? 'An app', scripts, emitted });
  const file = join(project.root, 'package.json');
  // One that cannot be read is an error when it is written.
  const manifest: Manifest = readPackage(project.root) ?? {};
  for (const remark of remarks(manifest, scripts)) warn(remark);
  // The user decides whether an existing package may be published.
  const identity = existsSync(file) ? {} : { ...(name !== undefined && { name }), private: true };
  const lacking = missingDependencies(manifest, project.language);
  emit({
    path: 'package.json',
    contents: `${JSON.stringify({ ...identity, type: 'module', scripts, ...lacking }, null, 2)}\n`,
    ifExists: 'members',
  });
}

/** The name of the folder, changed to a valid package name: message brokers use it to separate apps. */
function nameOf(root: string): string | undefined {
  const name = basename(root)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|-+$/g, '');
  return name === '' ? undefined : name;
}

const MAIN = `import { bootstrap } from 'fwkit';

// Serves the files in this directory. PORT and HOST come from the environment, or from bootstrap({ port, host }).
await bootstrap();
`;

const CONFIG = `import { defineConfig } from 'fwkit';

export default defineConfig({
  // Conventions that this project does without, such as ['views'].
  disable: [],
  // Security headers. docs/guide/security-headers.md of fwkit explains how to allow more.
  securityHeaders: true,
  // Log a line for each answered request.
  log: { access: true },
});
`;

/**
 * Generated and secret files, and the upload directory of the examples in the docs: container
 * images contain none of them. A `.env.example`, and defaults per mode, belong in the repository.
 */
const GITIGNORE = `node_modules/
.fwk/
dist/
uploads/
.env
.env.local
.env.*.local
`;

// No `types`, because fwkit's types refer to Node's. Source maps make stack traces show sources.
const TSCONFIG = `{
  "compilerOptions": {
    "target": "es2023",
    "module": "nodenext",
    "rootDir": "src",
    "outDir": "dist",
    "sourceMap": true,
    "strict": true,
    "skipLibCheck": true
  },
  "include": ["src", ".fwk/**/*"]
}
`;

interface Manifest extends Dependencies {
  readonly type?: unknown;
  readonly scripts?: Readonly<Record<string, unknown>>;
}

function remarks(theirs: Manifest, ours: Readonly<Record<string, string>>): string[] {
  const found: string[] = [];
  if (theirs.type === 'commonjs')
    found.push(
      'package.json had "type": "commonjs" and now has "module": rename files that use require() to .cjs.',
    );
  for (const [name, command] of Object.entries(ours)) {
    const own = theirs.scripts?.[name];
    if (own !== undefined && own !== command && !isPlaceholder(own))
      found.push(`package.json keeps its own script "${name}". fwk's script would be "${command}".`);
  }
  if (theirs.devDependencies?.fwkit !== undefined && theirs.dependencies?.fwkit === undefined)
    found.push(
      'package.json has fwkit in "devDependencies": move it to "dependencies", because production needs it.',
    );
  return found;
}

interface Dependencies {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/**
 * The dependencies that a package.json lacks: fwkit for production; for development the tools that
 * run and compile sources, and for TypeScript the types of the running Node version.
 */
function missingDependencies(
  { dependencies, devDependencies }: Dependencies,
  language: Generation['project']['language'],
): Dependencies {
  const [nodeMajor] = process.versions.node.split('.');
  const range = `^${ownVersion()}`;
  const lacking = (names: Readonly<Record<string, string>>) => {
    const missing = Object.entries(names).filter(
      ([name]) => dependencies?.[name] === undefined && devDependencies?.[name] === undefined,
    );
    return missing.length > 0 ? Object.fromEntries(missing) : undefined;
  };
  const forProduction = lacking({ fwkit: range });
  const forDevelopment = lacking({
    '@fwkit/build': range,
    ...(language === 'ts' ? { '@types/node': `^${nodeMajor}.0.0` } : {}),
  });
  return {
    ...(forProduction && { dependencies: forProduction }),
    ...(forDevelopment && { devDependencies: forDevelopment }),
  };
}

function ownVersion(): string {
  const file = createRequire(import.meta.url).resolve('fwkit/package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

/** Descriptions of the scripts for people. */
const ABOUT: Readonly<Record<string, string>> = {
  dev: 'serves the app at <http://localhost:3000/>, and reloads it when you save a file',
  test: 'runs the tests',
  check: 'finds mistakes without running the app',
  build: 'builds the app for production',
  start: 'starts the built app',
};

/** Emit a README with the next steps, unless one exists in any spelling. */
function emitReadme(
  { project, emit }: Generation,
  {
    title,
    scripts,
    emitted,
  }: {
    readonly title: string;
    readonly scripts: Readonly<Record<string, string>>;
    readonly emitted: readonly string[];
  },
): void {
  const other = readdirSync(project.root).find((name) => /^readme(?:\.|$)/i.test(name));
  if (other !== undefined && other !== 'README.md') return;
  const rows = Object.entries(ABOUT)
    .filter(([name]) => name in scripts)
    .map(([name, about]) => `| \`${name}\` | ${about} |`);
  const route = project.display(`api/hello/[name].get.${project.language}`);
  const example = emitted.includes(route) ? ` \`${route}\` is \`GET /api/hello/:name\`.` : '';
  const contents = `# ${title}

| Script | Effect |
|---|---|
${rows.join('\n')}

Each route is a file.${example} \`npx fwk routes\` prints all routes.
`;
  emit({ path: 'README.md', contents, ifExists: 'keep' });
}

const TEST = 'test/app.test';

/** Starters that a test can cover, by the end of their paths. */
const SUBJECTS: readonly { readonly file: RegExp; readonly test: string }[] = [
  {
    file: /api\/hello\/\[name\]\.get\.m?[jt]s$/,
    test: `test('the endpoint greets by name', async () => {
  const response = await app.get('/api/hello/you');
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), { message: 'Hello, you!' });
});
`,
  },
  {
    file: /web\/get\.m?[jt]s$/,
    test: `test('the page is HTML', async () => {
  const response = await app.get('/');
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', /^text\\/html/);
});
`,
  },
];

/**
 * Emit a test of the starters that were `emitted`, unless they existed before without a test: their
 * current content is unknown. Returns the script that runs it.
 */
function emitTest(generation: Generation, emitted: readonly string[]): string | undefined {
  const { project, flags } = generation;
  const { root, language } = project;
  const isThere = [language, 'ts', 'mts', 'js', 'mjs'].some((end) =>
    existsSync(join(root, project.display(`${TEST}.${end}`))),
  );
  const isCertain = (path: string) => isThere || flags.force === true || !existsSync(join(root, path));
  const tests = SUBJECTS.filter(({ file }) => emitted.some((path) => file.test(path) && isCertain(path)));
  if (tests.length === 0) return undefined;
  emitModule(generation, TEST, () => HEAD + tests.map(({ test }) => test).join('\n'));
  return 'fwk test';
}

const HEAD = `import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTestApp } from 'fwkit/testing';

const app = await createTestApp();
after(() => app.close());

`;
