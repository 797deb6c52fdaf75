import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { emitModule, type Generation } from '../../kernel/index.js';
import { type Dependencies, missingDependencies } from './dependencies.js';
import { isPlaceholder } from './placeholder.js';
import { emitReadme } from './readme.js';
import { emitTest } from './test.js';

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
    // The Node of a machine is no mistake of the project.
    check: typescript ? 'fwk types --check' : 'fwk doctor --skip old-node',
  };
  const name = nameOf(project.root);
  emitReadme(generation, name ?? 'An app', scripts);
  const file = join(project.root, 'package.json');
  const manifest = read(file);
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

/** The name of the folder, as far as a package can have it: brokers keep what is of one app below it. */
function nameOf(root: string): string | undefined {
  const name = basename(root)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|-+$/g, '');
  return name === '' ? undefined : name;
}

const MAIN = `import { bootstrap } from 'fwkit';

// Serves the files beside this one. PORT and HOST come from the environment, or from bootstrap({ port, host }).
await bootstrap();
`;

const CONFIG = `import { defineConfig } from 'fwkit';

export default defineConfig({
  // Conventions that this project does without, such as ['views'].
  disable: [],
  // What browsers guard pages by: docs/guide/security-headers.md of fwkit says how to allow more.
  securityHeaders: true,
  // A line for each request that is answered.
  log: { access: true },
});
`;

/** Generated and secret files. A `.env.example`, and defaults per mode, are for the repository. */
const GITIGNORE = `node_modules/
.fwk/
dist/
.env
.env.local
.env.*.local
`;

// No `types`: fwkit's own refer to those of Node.
// With source maps, stacks in production point into the sources.
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

/** A package.json; nothing where there is none. One that cannot be read is an error when it is written. */
function read(file: string): Manifest {
  try {
    return Object(JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, '')));
  } catch {
    return {};
  }
}

/** Remarks on an existing package.json. */
function remarks(theirs: Manifest, ours: Readonly<Record<string, string>>): string[] {
  const found: string[] = [];
  if (theirs.type === 'commonjs')
    found.push(
      'package.json had "type": "commonjs" and has "module" now: rename files that use require() to .cjs.',
    );
  for (const [name, command] of Object.entries(ours)) {
    const own = theirs.scripts?.[name];
    if (own !== undefined && own !== command && !isPlaceholder(own))
      found.push(`package.json keeps its own script "${name}". The one of fwk would be "${command}".`);
  }
  if (theirs.devDependencies?.fwkit !== undefined && theirs.dependencies?.fwkit === undefined)
    found.push(
      'package.json has fwkit in "devDependencies": move it to "dependencies", since production needs it.',
    );
  return found;
}
