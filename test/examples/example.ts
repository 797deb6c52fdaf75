import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { repo } from '../harness/installed.js';
import { type Files, type Project, project } from '../harness/project.js';

const LEFT_BEHIND = /^(node_modules|\.fwk|dist|drop|.*\.db(-\w+)?|\.env\.local)$/;

/** A copy of an example with its dependencies; `files` replace its own. */
export function copyOf(example: string, packages: readonly string[], files: Files = {}): Project {
  const made = project({});
  copy(path.join(repo, 'examples', example), made.root);
  for (const [name, text] of Object.entries(files)) made.write(name, text);
  const modules = path.join(made.root, 'node_modules');
  mkdirSync(modules);
  for (const name of packages) {
    mkdirSync(path.dirname(path.join(modules, name)), { recursive: true });
    symlinkSync(path.join(repo, 'node_modules', name), path.join(modules, name));
  }
  return made;
}

/**
 * A project whose `node_modules` has a copy of a plugin from the examples, with links to the packages that the plugin
 * depends on.
 */
export function withPlugin(plugin: string, files: Files, packages: readonly string[] = []): Project {
  const made = project(files);
  const modules = path.join(made.root, 'node_modules');
  copy(path.join(repo, 'examples/plugins', plugin), path.join(modules, `fwk-${plugin}`));
  for (const name of packages) symlinkSync(path.join(repo, 'node_modules', name), path.join(modules, name));
  return made;
}

const copy = (from: string, to: string) =>
  cpSync(from, to, { recursive: true, filter: (file) => !LEFT_BEHIND.test(path.basename(file)) });
