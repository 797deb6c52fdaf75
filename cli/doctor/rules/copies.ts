import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { type Finding, packageManager, slashed } from '../../../kernel/internal.js';
import { manifestIn } from '../manifest.js';
import type { Rule } from '../subject.js';

/** More than one fwkit: what one has made, such as a route or an error, the other does not know. */
export const copies: Rule = ({ paths: { root } }) => {
  const own = dirname(createRequire(import.meta.url).resolve('fwkit/package.json'));
  const theirs = installedFor(root);
  const { install, add, program } = packageManager(root);
  if (theirs === undefined)
    return [
      finding(`fwkit is not installed for this project, and this is that of ${own}.`, `Run ${add} fwkit.`),
    ];
  const found: Finding[] = [];
  if (realpathSync(own) !== realpathSync(theirs))
    found.push(
      finding(
        `This is fwk ${versionIn(own)} of ${own}, and the project has ${versionIn(theirs)} of its own.`,
        `Run it in its folder as ${program} fwk, or from a script of package.json.`,
      ),
    );
  const others = [...copiesBelow(root)].filter((folder) => folder !== realpathSync(theirs));
  for (const folder of others)
    found.push(
      finding(
        `There is a second fwkit, ${versionIn(folder)}, in ${slashed(relative(root, folder))}: what one makes, the other does not know.`,
        `Have all packages ask for one version, ${versionIn(theirs)}, and run ${install}.`,
      ),
    );
  return found;
};

const finding = (message: string, fix: string): Finding => ({
  rule: 'two-copies',
  code: 'FWK620',
  message,
  fix,
});

const versionIn = (folder: string): string => String(manifestIn(folder)?.version ?? 'without a version');

function installedFor(root: string): string | undefined {
  try {
    return dirname(createRequire(join(root, 'package.json')).resolve('fwkit/package.json'));
  } catch {
    return undefined;
  }
}

/**
 * The folders of every fwkit that the packages of the project find: in their own node_modules, or where pnpm keeps them. In a workspace
 * some of these packages are above the project, beside those of others.
 */
function copiesBelow(root: string): ReadonlySet<string> {
  const modules = join(root, 'node_modules');
  const folders = [
    join(modules, 'fwkit'),
    ...[...packagesIn(modules), ...dependenciesAbove(root)].map((one) => join(one, 'node_modules/fwkit')),
    ...namesIn(join(modules, '.pnpm'))
      .filter((name) => name.startsWith('fwkit@'))
      .map((name) => join(modules, '.pnpm', name, 'node_modules/fwkit')),
  ];
  return new Set(
    folders.filter((one) => existsSync(join(one, 'package.json'))).map((one) => realpathSync(one)),
  );
}

function dependenciesAbove(root: string): readonly string[] {
  const { dependencies, devDependencies } = manifestIn(root) ?? {};
  const names = Object.keys({ ...dependencies, ...devDependencies });
  const found: string[] = [];
  for (let above = dirname(root), below = root; above !== below; below = above, above = dirname(above))
    found.push(...names.map((name) => join(above, 'node_modules', name)));
  return found;
}

const packagesIn = (modules: string): string[] =>
  namesIn(modules).flatMap((name) =>
    name.startsWith('@')
      ? namesIn(join(modules, name)).map((one) => join(modules, name, one))
      : [join(modules, name)],
  );

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
