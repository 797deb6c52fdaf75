import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * A package manager, and the commands that people type: to install what a project names, to add a package, to add one for
 * development only, to run a script, and to run a program of a package.
 */
export interface PackageManager {
  readonly name: 'npm' | 'pnpm' | 'yarn' | 'bun';
  /** The files in which it writes down what it has installed. */
  readonly lockfiles: readonly string[];
  readonly install: string;
  readonly add: string;
  readonly addForDevelopment: string;
  readonly script: string;
  readonly program: string;
}

const NPM: PackageManager = {
  name: 'npm',
  lockfiles: ['package-lock.json', 'npm-shrinkwrap.json'],
  install: 'npm install',
  add: 'npm install',
  addForDevelopment: 'npm install --save-dev',
  script: 'npm run',
  program: 'npx',
};

const MANAGERS: readonly PackageManager[] = [
  {
    name: 'pnpm',
    lockfiles: ['pnpm-lock.yaml'],
    install: 'pnpm install',
    add: 'pnpm add',
    addForDevelopment: 'pnpm add --save-dev',
    script: 'pnpm',
    program: 'pnpm exec',
  },
  {
    name: 'yarn',
    lockfiles: ['yarn.lock'],
    install: 'yarn',
    add: 'yarn add',
    addForDevelopment: 'yarn add --dev',
    script: 'yarn',
    program: 'yarn',
  },
  {
    name: 'bun',
    lockfiles: ['bun.lock', 'bun.lockb'],
    install: 'bun install',
    add: 'bun add',
    addForDevelopment: 'bun add --dev',
    script: 'bun run',
    program: 'bunx',
  },
  NPM,
];

/**
 * The package manager whose lockfile is in `root`, or else the one that runs this process, or else the one whose lockfile is above
 * `root`, as that of a workspace is; npm where nothing tells.
 */
export function packageManager(root: string): PackageManager {
  // Every package manager says which one it is in this variable: `pnpm/10.1.0 npm/? node/v22.1.0 linux x64`.
  const [caller] = (process.env.npm_config_user_agent ?? '').split('/');
  return ofLockfileIn(root) ?? MANAGERS.find(({ name }) => name === caller) ?? ofLockfileAbove(root) ?? NPM;
}

const ofLockfileIn = (folder: string): PackageManager | undefined =>
  MANAGERS.find(({ lockfiles }) => lockfiles.some((file) => existsSync(join(folder, file))));

function ofLockfileAbove(folder: string): PackageManager | undefined {
  const above = dirname(folder);
  return above === folder ? undefined : (ofLockfileIn(above) ?? ofLockfileAbove(above));
}
