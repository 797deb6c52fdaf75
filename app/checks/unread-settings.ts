import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Project, toPosix } from '../../kernel/index.js';
import { listDirectory } from '../../loader/index.js';
import { findConfig } from '../config.js';
import { envFiles } from '../env.js';
import { type Issue, unread } from './issue.js';
import { MODES } from './settings-issues.js';

/** Names that are meant for the config, also in formats and for modes that fwk does not support. */
export const CONFIG = /^fwk(?:it)?[.-]?conf(?:ig)?\.[\w.-]+$/i;
const NO_CONFIG = /\.(?:d|test|spec|bench|example|sample)\.[^.]+$|\.(?:map|example|sample|bak|orig)$/;

/** Files with settings, in the root and in the source directory, that fwk does not read. */
export const unreadSettings = (project: Project, isImported: (file: string) => boolean): Issue[] => [
  ...misnamedModes(project),
  ...nestedEnvironment(project),
  ...unreadConfig(project, isImported),
];

const misnamedModes = ({ root, source, mode }: Project): Issue[] =>
  MODES.filter(([name]) => name !== mode && existsSync(join(root, `.env.${name}`))).map(([name, known]) => ({
    ...unread,
    file: relative(source, join(root, `.env.${name}`)),
    message: `is not read: the name of the mode is "${known}".`,
    fix: `Rename it to .env.${known}.`,
  }));

const nestedEnvironment = ({ root, source, mode }: Project): Issue[] =>
  source === root
    ? []
    : envFiles(mode)
        .filter((file) => existsSync(join(source, file)))
        .map((file) => ({
          ...unread,
          file,
          message: `is not read: fwk reads ${file} next to package.json.`,
          fix: 'Move it there.',
        }));

function unreadConfig(project: Project, isImported: (file: string) => boolean): Issue[] {
  const { root, source } = project;
  const own = findConfig(source);
  const read = project.display(own ?? `fwk.config.${project.language}`);
  const folders = [''];
  // The root may have the config of the sources of a compiled project.
  if (source === join(root, 'src') || (source !== root && own === undefined))
    folders.push(relative(source, root));
  return folders.flatMap((folder) =>
    listDirectory(join(source, folder))
      .filter(({ name }) => CONFIG.test(name) && !NO_CONFIG.test(name) && (folder !== '' || name !== own))
      .map(({ name }) => toPosix(join(folder, name)))
      .filter((file) => !isImported(file))
      .map((file) => ({
        ...unread,
        file,
        message: `is not read: the config of this project is ${read}.`,
        fix: own === undefined ? `Move it to ${read}.` : 'Move its settings there, or delete it.',
        isRefused: true,
      })),
  );
}
