import { basename } from 'node:path';

/** The package manager that runs this, and the words to go on with it. */
export interface Manager {
  readonly name: string;
  /** The command that people type to install. */
  readonly install: string;
  /** What runs a script. */
  readonly script: string;
  /** The program that installs, and its arguments. */
  readonly installer: readonly string[];
}

const SCRIPTS: Readonly<Record<string, string>> = {
  npm: 'npm run',
  pnpm: 'pnpm',
  yarn: 'yarn',
  bun: 'bun run',
};

/** To ask for known vulnerabilities takes npm a second, and `--json` would be what it made of `--js`. */
const QUIET: Readonly<Record<string, readonly string[]>> = { npm: ['--no-audit', '--no-fund', '--no-json'] };

/** The package manager of these variables; npm where they name none that is known. */
export function managerOf({
  npm_config_user_agent: agent = '',
  npm_execpath: path = '',
}: NodeJS.ProcessEnv): Manager {
  // `pnpm/10.1.0 npm/? node/v22.1.0 linux x64`
  const [caller = ''] = agent.split('/');
  const name = Object.hasOwn(SCRIPTS, caller) ? caller : 'npm';
  // Its own script, run by this Node: on Windows, programs named .cmd are started by a shell alone.
  const isScript = /\.[cm]?js$/.test(path) && basename(path).startsWith(name);
  return {
    name,
    install: `${name} install`,
    script: SCRIPTS[name] ?? 'npm run',
    installer: [...(isScript ? [process.execPath, path] : [name]), 'install', ...(QUIET[name] ?? [])],
  };
}
