import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BootError, isObject, type Output } from '../../kernel/index.js';
import { type PackageManager, packageManager, readPackage } from '../../loader/index.js';

interface InImage {
  readonly setup?: string;
  readonly install: string;
  /** The same without development dependencies. */
  readonly production: string;
}

const IN_IMAGE: Readonly<Record<PackageManager['name'], InImage>> = {
  npm: { install: 'npm ci', production: 'npm ci --omit=dev' },
  pnpm: {
    // pnpm replaces itself with the version in the "packageManager" field of package.json.
    setup: 'npm install --global pnpm@10',
    install: 'pnpm install --frozen-lockfile',
    production: 'pnpm install --frozen-lockfile --prod',
  },
  yarn: {
    install: 'yarn install --frozen-lockfile',
    production: 'yarn install --frozen-lockfile --production',
  },
  bun: {
    setup: 'npm install --global bun',
    install: 'bun install --frozen-lockfile',
    production: 'bun install --frozen-lockfile --production',
  },
};

/** From Yarn 2 on. */
const MODERN_YARN: InImage = {
  setup: 'npm install --global corepack && corepack enable',
  install: 'yarn install --immutable',
  production: 'yarn workspaces focus --all --production',
};

/** Settings of package managers, which change what is installed. They may hold tokens, so the final image doesn't have them. */
const SETTINGS = ['.npmrc', '.yarnrc.yml', '.yarn', 'pnpm-workspace.yaml'];

const IMAGE = `node:${process.versions.node.split('.')[0]}-slim`;
const HEALTH_CHECK =
  "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))";

/** The variables of the app, which the image doesn't contain. */
const EXAMPLE = '.env.example';

const inExecForm = (command: readonly string[]): string =>
  `[${command.map((word) => JSON.stringify(word)).join(', ')}]`;

/** The Dockerfile and .dockerignore of the project in `root`. Throws a BootError if package.json has no lockfile next to it. */
export function dockerFiles(root: string): readonly Output[] {
  const { name, lockfiles, install } = packageManager(root);
  const lockfile = lockfiles.find((file) => existsSync(join(root, file)));
  if (lockfile === undefined)
    throw new BootError({
      message: `An image is built from a lockfile, and there is no ${lockfiles[0]} beside package.json. Run ${install}, and commit the file. In a workspace, write one Dockerfile at its root.`,
      code: 'FWK613',
    });
  const isModern = name === 'yarn' && textOf(join(root, lockfile)).includes('__metadata:');
  const manager = isModern ? MODERN_YARN : IN_IMAGE[name];
  return [
    { path: 'Dockerfile', contents: dockerfile(root, manager, name, lockfile), ifExists: 'keep' },
    { path: '.dockerignore', contents: dockerignore(root), ifExists: 'keep' },
  ];
}

/**
 * Uses three stages, so that Docker caches each of them. `CMD` is in exec form, so that `node` is process 1 and receives signals. The
 * health check uses Node, since the image has no curl, and an IP address, since the app may not listen on all of "localhost".
 */
function dockerfile(root: string, manager: InImage, name: string, lockfile: string): string {
  const { scripts } = readPackage(root) ?? {};
  const { build, start } = isObject(scripts) ? scripts : {};
  const isCompiled = existsSync(join(root, 'tsconfig.json'));
  const settings = SETTINGS.filter((file) => existsSync(join(root, file)));
  const copied = ['package.json', lockfile, ...settings.filter((file) => file !== '.yarn')];
  const needless = [...(isCompiled ? ['node_modules', 'src', '.fwk'] : []), ...settings];
  const lines = [
    '# fwk build --docker wrote this file once. Edit it as you like. To try it:',
    `# docker build -t app . && docker run --rm -p 3000:3000 ${existsSync(join(root, EXAMPLE)) ? '--env-file .env ' : ''}app`,
    `FROM ${IMAGE} AS base`,
    'WORKDIR /app',
    manager.setup && `RUN ${manager.setup}`,
    `COPY ${copied.join(' ')} ./`,
    settings.includes('.yarn') && 'COPY .yarn ./.yarn',
    '',
    '# The packages that production needs.',
    'FROM base AS modules',
    `RUN ${manager.production}`,
    '',
    'FROM base AS build',
    isCompiled && `RUN ${manager.install}`,
    'COPY . .',
    isCompiled && `RUN ${build === undefined ? 'node_modules/.bin/fwk build' : `${name} run build`}`,
    needless.length > 0 && '# Everything else stays: public/, views/, and other files that the app reads.',
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
    `CMD ${inExecForm(['node', ...argumentsOf(start, isCompiled ? 'dist/main.js' : 'main.js')])}`,
    '',
  ];
  return lines.filter((line) => typeof line === 'string').join('\n');
}

const argumentsOf = (start: unknown, fallback: string): readonly string[] =>
  /^node((?: [\w@./=:-]+)+)$/.exec(String(start))?.[1]?.trim().split(' ') ?? [fallback];

/** These lines come last, so that no exception in .gitignore includes a secret again. */
const NEVER = `# Files that an image must not contain, or that its build creates.
**/node_modules
dist
.fwk
.git
.env
.env.local
.env.*.local
**/*.tsbuildinfo
**/*.test.ts
**/*.test.js
Dockerfile
.dockerignore
`;

/** Converts .gitignore patterns line by line: a Git pattern without a slash matches at any depth, but a Docker pattern only at the root. */
function dockerignore(root: string): string {
  const lines = textOf(join(root, '.gitignore')).split(/\r?\n/);
  const ignored = lines.flatMap((line) => {
    const [, exception = '', path = ''] = /^(!?)([^#\s].*?)\/?\s*$/.exec(line) ?? [];
    if (path === '') return [];
    return [exception + (path.includes('/') ? path.replace(/^\//, '') : `**/${path}`)];
  });
  return ignored.length === 0 ? NEVER : `# From .gitignore.\n${ignored.join('\n')}\n\n${NEVER}`;
}

function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
