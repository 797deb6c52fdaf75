import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const LOCKFILES = {
  pnpm: ['pnpm-lock.yaml'],
  yarn: ['yarn.lock'],
  bun: ['bun.lock', 'bun.lockb'],
  npm: ['package-lock.json', 'npm-shrinkwrap.json'],
} as const;

type Name = keyof typeof LOCKFILES;
const NAMES = Object.keys(LOCKFILES) as readonly Name[];
const SCRIPT = { pnpm: 'pnpm', yarn: 'yarn', bun: 'bun run', npm: 'npm run' } as const;
const PROGRAM = { pnpm: 'pnpm exec', yarn: 'yarn', bun: 'bunx', npm: 'npx' } as const;

export interface PackageManager {
  readonly name: Name;
  readonly lockfiles: readonly string[];
  readonly install: string;
  readonly add: string;
  readonly addForDevelopment: string;
  readonly script: string;
  readonly program: string;
}

/** The package manager whose lockfile is in `root`, or which runs this process, or whose lockfile is above `root`; npm by default. */
export function packageManager(root: string): PackageManager {
  // Every package manager puts its name first in this variable: `pnpm/10.1.0 npm/? node/v22.1.0 linux x64`.
  const [caller] = (process.env.npm_config_user_agent ?? '').split('/');
  const name = ofLockfileIn(root) ?? NAMES.find((one) => one === caller) ?? ofLockfileAbove(root) ?? 'npm';
  const add = name === 'npm' ? 'npm install' : `${name} add`;
  return {
    name,
    lockfiles: LOCKFILES[name],
    install: `${name} install`,
    add,
    addForDevelopment: `${add} ${name === 'yarn' || name === 'bun' ? '--dev' : '--save-dev'}`,
    script: SCRIPT[name],
    program: PROGRAM[name],
  };
}

const ofLockfileIn = (folder: string): Name | undefined =>
  NAMES.find((name) => LOCKFILES[name].some((file) => existsSync(join(folder, file))));

function ofLockfileAbove(folder: string): Name | undefined {
  const above = dirname(folder);
  return above === folder ? undefined : (ofLockfileIn(above) ?? ofLockfileAbove(above));
}
