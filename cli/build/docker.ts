import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  BootError,
  type Output,
  type PackageManager,
  type ProjectPaths,
  packageManager,
  slashed,
} from '../../kernel/internal.js';
import { dockerignore } from './dockerignore.js';

/** How a package manager works in an image. */
interface InImage {
  /** What has to be installed before it; undefined where the image of Node has it. */
  readonly setup?: string;
  /** Installs exactly what the lockfile says. */
  readonly install: string;
  /** The same without what is for development. */
  readonly production: string;
  readonly script: string;
}

const NPM: InImage = { install: 'npm ci', production: 'npm ci --omit=dev', script: 'npm run' };
const PNPM: InImage = {
  // It gets itself in the version that package.json names as "packageManager".
  setup: 'npm install --global pnpm@10',
  install: 'pnpm install --frozen-lockfile',
  production: 'pnpm install --frozen-lockfile --prod',
  script: 'pnpm run',
};
const YARN: InImage = {
  install: 'yarn install --frozen-lockfile',
  production: 'yarn install --frozen-lockfile --production',
  script: 'yarn run',
};
/** From version 2 on. */
const MODERN_YARN: InImage = {
  setup: 'npm install --global corepack && corepack enable',
  install: 'yarn install --immutable',
  production: 'yarn workspaces focus --all --production',
  script: 'yarn run',
};

/** Settings of package managers, which install by them. */
const SETTINGS = ['.npmrc', '.yarnrc.yml', '.yarn', 'pnpm-workspace.yaml'];

/**
 * The Dockerfile of a project and its .dockerignore. Throws a BootError where there is no lockfile beside package.json, or
 * that of a package manager whose installs cannot be repeated in the image of Node.
 */
export function dockerFiles({ root, source }: ProjectPaths): readonly Output[] {
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
  const manifest = readManifest(root);
  const manager = managerInImage(root, name, lockfile);
  const copied = ['package.json', lockfile, ...SETTINGS.filter((file) => existsSync(join(root, file)))];
  const isCompiled = existsSync(join(root, 'tsconfig.json'));
  const contents = dockerfile(manager, copied, isCompiled, manifest);
  const needed = [
    ...copied,
    ...(isCompiled ? ['tsconfig.json', slashed(relative(root, source))] : []),
    // Where the build is fwk's alone, nothing in the image makes them.
    ...(!isCompiled || (manifest.build ?? FWK_BUILD) === FWK_BUILD ? ['public', 'views'] : []),
  ];
  return [
    { path: 'Dockerfile', contents, ifExists: 'keep' },
    { path: '.dockerignore', contents: dockerignore(root, needed), ifExists: 'keep' },
  ];
}

/** The script "build" of a new project. */
const FWK_BUILD = 'fwk build';

interface Scripts {
  readonly build?: string;
  readonly start?: string;
}

function readManifest(root: string): Scripts {
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

/**
 * In three stages, so that Docker keeps what did not change. In exec form, `node` is process 1 and gets the signals. The health
 * check is by Node, since the image has no curl, and to an address, since "localhost" may be one that the app does not have.
 */
function dockerfile(
  { setup, install, production, script }: InImage,
  copied: readonly string[],
  isCompiled: boolean,
  { build, start }: Scripts,
): string {
  const settings = copied.filter((file) => file !== '.yarn').join(' ');
  const needless = [
    ...(isCompiled ? ['node_modules', 'src', '.fwk'] : []),
    ...copied.filter((file) => SETTINGS.includes(file)),
  ];
  const lines = [
    '# Written by fwk build --docker, once: from now on it is yours. To try it:',
    '# docker build -t app . && docker run --rm -p 3000:3000 app',
    `FROM ${IMAGE} AS base`,
    'WORKDIR /app',
    setup && `RUN ${setup}`,
    `COPY ${settings} ./`,
    copied.includes('.yarn') && 'COPY .yarn ./.yarn',
    '',
    '# What production needs of node_modules.',
    'FROM base AS modules',
    `RUN ${production}`,
    '',
    'FROM base AS build',
    isCompiled && `RUN ${install}`,
    'COPY . .',
    isCompiled && `RUN ${build === undefined ? 'node_modules/.bin/fwk build' : `${script} build`}`,
    needless.length > 0 && '# The rest is for the app: public/, views/, and what else it reads.',
    needless.length > 0 && `RUN rm -rf ${needless.join(' ')}`,
    '',
    `FROM ${IMAGE}`,
    'WORKDIR /app',
    'ENV NODE_ENV=production',
    'COPY --from=build /app ./',
    'COPY --from=modules /app/node_modules ./node_modules',
    'USER node',
    'EXPOSE 3000',
    'HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \\',
    `  CMD ${inExecForm(['node', '-e', HEALTH_CHECK])}`,
    `CMD ${inExecForm(['node', ...mainOf(start, isCompiled ? 'dist/main.js' : 'main.js')])}`,
    '',
  ];
  return lines.filter((line) => typeof line === 'string').join('\n');
}

const IMAGE = `node:${process.versions.node.split('.')[0]}-slim`;
const HEALTH_CHECK =
  "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))";

const inExecForm = (command: readonly string[]): string =>
  `[${command.map((word) => JSON.stringify(word)).join(', ')}]`;

/** The arguments of `node`, as the script "start" has them. */
const mainOf = (start: string | undefined, fallback: string): readonly string[] =>
  /^node((?: [\w@./=:-]+)+)$/
    .exec(start ?? '')?.[1]
    ?.trim()
    .split(' ') ?? [fallback];
