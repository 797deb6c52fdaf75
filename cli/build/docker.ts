import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type WorkspacePackage, workspaceAbove, workspaceIn } from '../../app/workspace.js';
import { BootError, type Output, type ProjectPaths, slashed } from '../../kernel/index.js';
import { type PackageManager, packageManager } from '../../loader/index.js';
import { dockerignore } from './dockerignore.js';

// What the images of all projects have in common.

/** How a package manager works in an image. */
interface InImage {
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
const SETTINGS = ['.npmrc', '.yarnrc.yml', '.yarn', 'pnpm-workspace.yaml'];

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

interface Scripts {
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

/**
 * The Dockerfile of a project and its .dockerignore. Throws a BootError where there is no lockfile beside package.json, or at the root
 * of its workspace, or that of a package manager whose installs cannot be repeated in the image of Node.
 */
export function dockerFiles(paths: ProjectPaths): readonly Output[] {
  const { root, source } = paths;
  const isAlone = packageManager(root).lockfiles.some((file) => existsSync(join(root, file)));
  const above = isAlone ? undefined : workspaceAbove(root);
  if (above !== undefined) return workspaceDockerFiles(paths, above);
  const { manager, lockfile } = installing(root);
  const manifest = readManifest(root);
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

/** In three stages, so that Docker keeps what did not change. */
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
    ...runLines(start, isCompiled),
    '',
  ];
  return lines.filter((line) => typeof line === 'string').join('\n');
}

/** What package managers install by, beside lockfiles. */
const INSTALLED_BY = ['package.json', '.npmrc', '.yarnrc.yml', 'pnpm-workspace.yaml', '.pnpmfile.cjs'];
/** Folders of the root that they read. */
const READ = ['.yarn', 'patches'];

/** What an image must not have, or makes itself, in any package: by a record of what was built here nothing would be compiled there. */
const NEVER = [
  '**/node_modules',
  '**/.fwk',
  '.git',
  '**/.env',
  '**/.env.local',
  '**/.env.*.local',
  '**/*.tsbuildinfo',
];

/**
 * The Dockerfile of a project that is a package of the workspace in `workspace`, and its .dockerignore, which Docker finds by its name:
 * the context of the build is the root of the workspace. Throws a BootError as `dockerFiles` does.
 */
function workspaceDockerFiles({ root, source }: ProjectPaths, workspace: string): readonly Output[] {
  const { manager, lockfile } = installing(workspace);
  const { build, start } = readManifest(root);
  const folder = slashed(relative(workspace, root));
  const packages = workspaceIn(workspace) ?? [];
  const app = packages.find((one) => one.folder === folder);
  const [built, kept] = [['dependencies', 'devDependencies'] as const, ['dependencies'] as const].map(
    (kinds) => (app ? closure(app, packages, kinds).filter((one) => one !== app) : []),
  );
  const isCompiled = existsSync(join(root, 'tsconfig.json'));
  const member = { folder, name: app?.manifest.name ?? `./${folder}` };
  const builds = [
    ...(built ?? []).flatMap(({ folder, manifest: { name = `./${folder}`, scripts } }) =>
      scripts?.build === undefined ? [] : [manager.buildOf({ folder, name }, true)],
    ),
    ...(isCompiled ? [manager.buildOf(member, build !== undefined)] : []),
  ];
  const folders = [folder, ...(kept ?? []).map((one) => one.folder)];
  const needless = [
    ...(isCompiled ? [`${folder}/src`, `${folder}/.fwk`] : []),
    ...folders.map((one) => `${one}/node_modules`),
  ];
  const untouched = [...INSTALLED_BY, lockfile].map((name) => `! -name ${name}`);
  const unread = READ.map((name) => `! -path './${name}/*'`);
  const lines = [
    '# Written by fwk build --docker, once: from now on it is yours. To try it, at the root of the workspace:',
    `# docker build -f ${folder}/Dockerfile -t app . && docker run --rm -p 3000:3000 app`,
    '',
    '# What packages are installed by: while it is the same, Docker keeps what was installed.',
    `FROM ${IMAGE} AS manifests`,
    'WORKDIR /app',
    'COPY . .',
    `RUN find . -type f ${[...untouched, ...unread].join(' ')} -delete && find . -type d -empty -delete`,
    '',
    `FROM ${IMAGE} AS base`,
    'WORKDIR /app',
    manager.setup && `RUN ${manager.setup}`,
    'COPY --from=manifests /app ./',
    '',
    '# What production needs of node_modules.',
    'FROM base AS modules',
    `RUN ${manager.productionOf(member)}`,
    '',
    'FROM base AS build',
    builds.length > 0 && `RUN ${manager.install}`,
    'COPY . .',
    ...builds.map((command) => `RUN ${command}`),
    `RUN rm -rf ${needless.join(' ')}`,
    '',
    `FROM ${IMAGE}`,
    'WORKDIR /app',
    'ENV NODE_ENV=production',
    'COPY --from=modules /app ./',
    ...folders.map((one) => `COPY --from=build /app/${one} ./${one}`),
    `WORKDIR /app/${folder}`,
    ...runLines(start, isCompiled),
    '',
  ];
  const needed = [
    ...[...INSTALLED_BY, ...READ, lockfile].filter((file) => existsSync(join(workspace, file))),
    ...(isCompiled ? [`${folder}/tsconfig.json`, slashed(relative(workspace, source))] : []),
    // Where the build is fwk's alone, nothing in the image makes them.
    ...(!isCompiled || (build ?? FWK_BUILD) === FWK_BUILD ? [`${folder}/public`, `${folder}/views`] : []),
  ];
  const never = [...NEVER, `${folder}/dist`, '**/Dockerfile', '**/Dockerfile.dockerignore', '.dockerignore'];
  return [
    {
      path: 'Dockerfile',
      contents: lines.filter((line) => typeof line === 'string').join('\n'),
      ifExists: 'keep',
    },
    {
      path: 'Dockerfile.dockerignore',
      contents: dockerignore(workspace, needed, never),
      ifExists: 'keep',
    },
  ];
}

/** A package and those of the workspace that it depends on, each after what it depends on itself. */
function closure(
  start: WorkspacePackage,
  packages: readonly WorkspacePackage[],
  kinds: readonly ('dependencies' | 'devDependencies')[],
): readonly WorkspacePackage[] {
  const sorted = new Set<WorkspacePackage>();
  const open = new Set<WorkspacePackage>();
  const visit = (one: WorkspacePackage): void => {
    if (open.has(one)) return;
    open.add(one);
    const names = new Set(kinds.flatMap((kind) => Object.keys(one.manifest[kind] ?? {})));
    for (const other of packages) if (names.has(other.manifest.name ?? '')) visit(other);
    sorted.add(one);
  };
  visit(start);
  return [...sorted];
}
