/** The commands that people type: to install packages, to run a script, and to run a program of a package. */
const MANAGERS = [
  { name: 'pnpm', add: 'pnpm add', install: 'pnpm install', script: 'pnpm', program: 'pnpm exec' },
  { name: 'yarn', add: 'yarn add', install: 'yarn', script: 'yarn', program: 'yarn' },
  { name: 'npm', add: 'npm install', install: 'npm install', script: 'npm run', program: 'npx' },
] as const;

/** The package manager that runs this process; npm where none does. */
export function packageManager(): (typeof MANAGERS)[number] {
  // Every package manager says which one it is in this variable: `pnpm/10.1.0 npm/? node/v22.1.0 linux x64`.
  const [caller] = (process.env.npm_config_user_agent ?? '').split('/');
  return MANAGERS.find(({ name }) => name === caller) ?? MANAGERS[2];
}
