import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BootError, type PackageManager, packageManager } from '../../kernel/internal.js';

// What the images of all projects have in common.

/** How a package manager works in an image. */
export interface InImage {
  /** What has to be installed before it; undefined where the image of Node has it. */
  readonly setup?: string;
  /** Installs exactly what the lockfile says. */
  readonly install: string;
  /** The same without what is for development. */
  readonly production: string;
  readonly script: string;
  /** In a workspace: what production needs of one of its packages, and of those that it depends on. */
  readonly productionOf: (of: Member) => string;
  /** Runs the script "build" of a package of a workspace; where it has none, fwk build. */
  readonly buildOf: (of: Member, hasScript: boolean) => string;
}

/** A package of a workspace: its folder relative to the root, and its name. */
interface Member {
  readonly folder: string;
  readonly name: string;
}

const NPM: InImage = {
  install: 'npm ci',
  production: 'npm ci --omit=dev',
  script: 'npm run',
  productionOf: ({ folder }) => `npm ci --omit=dev --workspace ${folder}`,
  buildOf: ({ folder }, hasScript) =>
    hasScript ? `npm run build --workspace ${folder}` : `npm exec --workspace ${folder} -- fwk build`,
};
const PNPM: InImage = {
  // It gets itself in the version that package.json names as "packageManager".
  setup: 'npm install --global pnpm@10',
  install: 'pnpm install --frozen-lockfile',
  production: 'pnpm install --frozen-lockfile --prod',
  script: 'pnpm run',
  productionOf: ({ folder }) => `pnpm install --frozen-lockfile --prod --filter "{${folder}}..."`,
  buildOf: ({ folder }, hasScript) => `pnpm --dir ${folder} ${hasScript ? 'run build' : 'exec fwk build'}`,
};
const YARN: InImage = {
  install: 'yarn install --frozen-lockfile',
  production: 'yarn install --frozen-lockfile --production',
  script: 'yarn run',
  // It installs all of a workspace, or nothing.
  productionOf: () => 'yarn install --frozen-lockfile --production',
  buildOf: ({ folder }, hasScript) => `yarn --cwd ${folder} run ${hasScript ? 'build' : 'fwk build'}`,
};
/** From version 2 on. */
const MODERN_YARN: InImage = {
  setup: 'npm install --global corepack && corepack enable',
  install: 'yarn install --immutable',
  production: 'yarn workspaces focus --all --production',
  script: 'yarn run',
  productionOf: ({ name }) => `yarn workspaces focus ${name} --production`,
  buildOf: ({ name }, hasScript) => `yarn workspace ${name} run ${hasScript ? 'build' : 'fwk build'}`,
};

/** Settings of package managers, which install by them. */
export const SETTINGS = ['.npmrc', '.yarnrc.yml', '.yarn', 'pnpm-workspace.yaml'];

/** The package manager in the image of what is installed in `root`, and its lockfile there. Throws a BootError where none can be. */
export function installing(root: string): { readonly manager: InImage; readonly lockfile: string } {
  const { name, lockfiles, install } = packageManager(root);
  const lockfile = lockfiles.find((file) => existsSync(join(root, file)));
  if (name === 'bun')
    throw new BootError({
      message: 'A Dockerfile is written for npm, pnpm and yarn. With bun, write one from the image oven/bun.',
      code: 'FWK613',
    });
  if (lockfile === undefined)
    throw new BootError({
      message: `An image is built from a lockfile, and there is no ${lockfiles[0]} beside package.json. Run ${install}, and commit the file.`,
      code: 'FWK613',
    });
  return { manager: managerInImage(root, name, lockfile), lockfile };
}

export interface Scripts {
  readonly build?: string;
  readonly start?: string;
}

export function readManifest(root: string): Scripts {
  try {
    return Object(
      JSON.parse(readFileSync(join(root, 'package.json'), 'utf8').replace(/^\uFEFF/, '')).scripts,
    );
  } catch {
    throw new BootError({
      message: 'There is no package.json, or it is not JSON. Run fwk scaffold.',
      code: 'FWK607',
    });
  }
}

function managerInImage(root: string, name: PackageManager['name'], lockfile: string): InImage {
  if (name === 'npm') return NPM;
  if (name === 'pnpm') return PNPM;
  if (!readFileSync(join(root, lockfile), 'utf8').includes('__metadata:')) return YARN;
  const settings = existsSync(join(root, '.yarnrc.yml'))
    ? readFileSync(join(root, '.yarnrc.yml'), 'utf8')
    : '';
  if (/^nodeLinker:\s*["']?node-modules\b/m.test(settings)) return MODERN_YARN;
  throw new BootError({
    file: '.yarnrc.yml',
    message:
      'lets yarn install without node_modules, which `node` alone cannot run. Set nodeLinker: node-modules.',
    code: 'FWK613',
  });
}

/** The script "build" of a new project. */
export const FWK_BUILD = 'fwk build';

export const IMAGE = `node:${process.versions.node.split('.')[0]}-slim`;
const HEALTH_CHECK =
  "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))";

const inExecForm = (command: readonly string[]): string =>
  `[${command.map((word) => JSON.stringify(word)).join(', ')}]`;

/**
 * The lines that say how the app is run. In exec form, `node` is process 1 and gets the signals. The health check is by Node, since
 * the image has no curl, and to an address, since "localhost" may be one that the app does not have.
 */
export const runLines = (start: string | undefined, isCompiled: boolean): readonly string[] => [
  'USER node',
  'EXPOSE 3000',
  'HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \\',
  `  CMD ${inExecForm(['node', '-e', HEALTH_CHECK])}`,
  `CMD ${inExecForm(['node', ...mainOf(start, isCompiled ? 'dist/main.js' : 'main.js')])}`,
];

/** The arguments of `node`, as the script "start" has them. */
const mainOf = (start: string | undefined, fallback: string): readonly string[] =>
  /^node((?: [\w@./=:-]+)+)$/
    .exec(start ?? '')?.[1]
    ?.trim()
    .split(' ') ?? [fallback];
