import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type WorkspacePackage, workspaceIn } from '../../app/workspace.js';
import { type Output, type ProjectPaths, slashed } from '../../kernel/internal.js';
import { FWK_BUILD, IMAGE, installing, readManifest, runLines } from './docker-image.js';
import { dockerignore } from './dockerignore.js';

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
export function workspaceDockerFiles({ root, source }: ProjectPaths, workspace: string): readonly Output[] {
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
