import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const HELP = `Usage: npm create fwkit [folder] [-- flags]

Creates a project in a folder (default: my-app) and installs its packages.
Existing files in the folder are not overwritten.

  --js           JavaScript instead of TypeScript
  --name <name>  the name in package.json (default: the name of the folder)
  --no-install   don't install packages
  --git          create a git repository
  --version, -v
  --help, -h

With npm, put flags after "--". With pnpm, yarn and bun, you don't need it.`;

const NAME = { type: 'string' } as const;
const SWITCH = { type: 'boolean' } as const;

/** Create a project from command-line arguments, and set the exit code. An error is one sentence on stderr. */
export function main(args: readonly string[]): void {
  try {
    create(args);
  } catch (thrown) {
    console.error((thrown as Error).message);
    process.exitCode = 1;
  }
}

function create(args: readonly string[]): void {
  const options = { js: SWITCH, name: NAME, 'no-install': SWITCH, git: SWITCH };
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { ...options, help: { ...SWITCH, short: 'h' }, version: { ...SWITCH, short: 'v' } },
  });
  const require = createRequire(import.meta.url);
  if (values.help) return console.log(HELP);
  if (values.version) return console.log(require('../package.json').version);
  const [given = 'my-app', other] = positionals;
  if (other !== undefined) throw new Error(`Pass one folder, not "${given}" and "${other}".`);

  const folder = resolve(given);
  mkdirSync(folder, { recursive: true });
  const manifest = join(folder, 'package.json');
  if (values.name !== undefined && !existsSync(manifest))
    writeFileSync(manifest, `${JSON.stringify({ name: values.name, private: true }, null, 2)}\n`);
  const fwkit = require.resolve('fwkit/package.json');
  const { bin } = JSON.parse(readFileSync(fwkit, 'utf8')) as { bin: { fwk: string } };
  // Without the two dashes, npm takes `--js` for its own `--json`. Nobody creates a project as JSON.
  const isJs = values.js || [process.env.npm_config_js, process.env.npm_config_json].includes('true');
  const command = [join(dirname(fwkit), bin.fwk), 'scaffold', '--dir', folder, ...(isJs ? ['--js'] : [])];
  const scaffold = spawnSync(process.execPath, command, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (scaffold.status !== 0) throw new Error(`Creating the project in ${given} failed.`);

  // The name of the package manager comes first: `pnpm/10.1.0 npm/? node/v22.1.0 linux x64`.
  const [caller = ''] = (process.env.npm_config_user_agent ?? '').split('/');
  const manager = ['pnpm', 'yarn', 'bun'].includes(caller) ? caller : 'npm';
  const isDone = (line: string): boolean => {
    const { status } = spawnSync(line, { cwd: folder, stdio: 'inherit', shell: true });
    if (status === 0) return true;
    console.error(`"${line}" failed in ${given}.`);
    process.exitCode = 1;
    return false;
  };
  if (values.git) isDone('git init --quiet');
  // npm audit takes a second.
  const flags = manager === 'npm' ? ' --no-audit --no-fund --no-json' : '';
  const isInstalled = !values['no-install'] && isDone(`${manager} install${flags}`);
  const steps = [
    ...(folder === process.cwd() ? [] : [`cd ${/\s/.test(given) ? `"${given}"` : given}`]),
    ...(isInstalled ? [] : [`${manager} install`]),
    `${manager} run dev      start the app at http://localhost:3000/`,
    `${manager} run test     run the tests`,
    `${manager} run check    find mistakes without running the app`,
  ];
  console.log(['\nNext:', ...steps.map((step) => `  ${step}`)].join('\n'));
}
