import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { emitModule, type Generation } from '../../kernel/index.js';

/** Emit the entry file, the config, and the files of the root. */
export function emitFiles(generation: Generation): void {
  const { project, emit, warn } = generation;
  const typescript = project.language === 'ts';
  emitModule(generation, 'main', () => MAIN);
  emitModule(generation, 'fwk.config', () => CONFIG);
  emit({ path: '.gitignore', contents: GITIGNORE, ifExists: 'keep' });
  if (typescript) emit({ path: 'tsconfig.json', contents: TSCONFIG, ifExists: 'keep' });

  const main = typescript ? 'dist/main.js' : 'main.js';
  const scripts = { dev: 'fwk dev', build: 'fwk build', start: `node ${main}` };
  const manifest = join(project.root, 'package.json');
  for (const remark of remarks(manifest, scripts)) warn(remark);
  // The user decides whether an existing package may be published.
  const privacy = existsSync(manifest) ? {} : { private: true };
  emit({
    path: 'package.json',
    contents: `${JSON.stringify({ ...privacy, type: 'module', scripts }, null, 2)}\n`,
    ifExists: 'members',
  });
}

const MAIN = `import { bootstrap } from 'fwkit';

// Serves the files beside this one. PORT and HOST come from the environment, or from bootstrap({ port, host }).
const addresses = await bootstrap();
console.log(\`Listening on \${addresses.join(' and ')}\`);
`;

const CONFIG = `import { defineConfig } from 'fwkit';

export default defineConfig({
  // Conventions that this project does without, such as ['views'].
  disable: [],
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

// No `types`: those of Node come with fwkit, and not every package manager puts them where `types` would find them.
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

/** Remarks on an existing package.json. One that cannot be read is an error when it is written. */
function remarks(file: string, ours: Readonly<Record<string, string>>): string[] {
  let theirs: { type?: unknown; scripts?: Record<string, unknown> } | null;
  try {
    theirs = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
  } catch {
    return [];
  }
  const found: string[] = [];
  if (theirs?.type === 'commonjs')
    found.push(
      'package.json had "type": "commonjs" and has "module" now: rename files that use require() to .cjs.',
    );
  for (const [name, command] of Object.entries(ours)) {
    const own = theirs?.scripts?.[name];
    if (own !== undefined && own !== command)
      found.push(`package.json keeps its own script "${name}". The one of fwk would be "${command}".`);
  }
  return found;
}
