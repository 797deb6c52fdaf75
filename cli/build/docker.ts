import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { workspaceAbove } from '../../app/workspace.js';
import { type Output, type ProjectPaths, packageManager, slashed } from '../../kernel/internal.js';
import {
  FWK_BUILD,
  IMAGE,
  type InImage,
  installing,
  readManifest,
  runLines,
  type Scripts,
  SETTINGS,
} from './docker-image.js';
import { workspaceDockerFiles } from './docker-workspace.js';
import { dockerignore } from './dockerignore.js';

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
