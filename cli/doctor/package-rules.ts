import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import type { Finding } from '../../contributions/index.js';
import { toPosix } from '../../kernel/index.js';
import { installedIn, packageManager } from '../../loader/index.js';
import { filesBelow, manifestIn, modulesBelow, type Rule, type Subject, textOf } from './subject.js';

const FILE = 'package.json';

export const manifest: Rule = (subject) => {
  const { root } = subject.paths;
  if (!existsSync(join(root, FILE)))
    return [
      {
        rule: 'package-type',
        code: 'FWK618',
        file: FILE,
        message: 'is missing: it marks the sources as ES modules, and lists the production dependencies.',
        fix: 'Run fwk scaffold, which writes it.',
      },
    ];
  const found = manifestIn(root);
  if (!found) return [];
  const { type, dependencies, devDependencies } = found;
  return [
    ...(type === 'module' ? [] : [wrongType(subject, type)]),
    ...missingPackages(subject)
      .filter(({ name }) => devDependencies[name] !== undefined && dependencies[name] === undefined)
      .map(({ name, by }) => developmentOnly(name, by)),
  ];
};

/** Packages of fwk that do nothing until `fwk.config` imports them. */
const PLUGIN = /^@fwkit\/(?:cron|metrics|opentelemetry|postgres|prove|queue|redis)$/;

export const unusedPlugins: Rule = ({ paths: { root }, outputs }) => {
  const { dependencies, devDependencies } = manifestIn(root) ?? {};
  const names = Object.keys({ ...dependencies, ...devDependencies }).filter((name) => PLUGIN.test(name));
  if (names.length === 0) return [];
  const texts = [...modulesBelow(root, outputs).values()];
  return names
    .filter((name) => !texts.some((text) => text.includes(name)))
    .map((name) => ({
      rule: 'unused-plugin',
      code: 'FWK625',
      file: FILE,
      message: `has ${name}, but no module imports it, so it has no effect.`,
      fix: 'Add it to "plugins" in fwk.config, or uninstall it.',
    }));
};

function wrongType(subject: Subject, type: unknown): Finding {
  const isSafe = type === undefined && !usesCommonJs(subject);
  return {
    rule: 'package-type',
    code: 'FWK618',
    file: FILE,
    message: `${type === undefined ? 'has no "type"' : `has "type": ${JSON.stringify(type)}`}: Node reads compiled files, and files named .js, as CommonJS.`,
    fix: `Set "type": "module"${isSafe ? '' : ', and rename files that use require() to .cjs'}.`,
    ...(isSafe && { outputs: [{ path: FILE, contents: '{ "type": "module" }', ifExists: 'members' }] }),
  };
}

/** Whether a file named .js would break. */
function usesCommonJs({ paths: { root }, outputs }: Subject): boolean {
  for (const file of filesBelow(root, outputs))
    if (/\.jsx?$/.test(file) && /\brequire\s*\(|\bmodule\.exports\b|\bexports\./.test(textOf(file) ?? ''))
      return true;
  return false;
}

/** Required packages that are missing, each with a file that imports it if that is not obvious. */
function missingPackages({
  paths: { root, source },
}: Subject): { readonly name: string; readonly by?: string }[] {
  const needed: { readonly name: string; readonly by?: string }[] = [{ name: 'fwkit' }];
  for (const file of ['ts', 'mts', 'js', 'mjs'].map((extension) => join(source, `fwk.config.${extension}`)))
    for (const name of packagesOf(textOf(file) ?? ''))
      needed.push({ name, by: toPosix(relative(root, file)) });
  return needed;
}

function packagesOf(text: string): ReadonlySet<string> {
  const imports = text.matchAll(
    /^import\s(?!type\s)[^'";]{0,1000}['"]((?:@[^/'"]+\/)?[^./'"@][^/'":]*)(?:\/[^'"]*)?['"]/gm,
  );
  return new Set([...imports].map(([, name = '']) => name).filter((name) => name !== 'fwkit'));
}

const developmentOnly = (name: string, by: string | undefined): Finding => ({
  rule: 'production-dependency',
  code: 'FWK619',
  file: FILE,
  message: `has ${name} in "devDependencies"${by === undefined ? '' : `, and ${by} imports it`}: an install for production leaves it out, and the app does not start.`,
  fix: 'Move it to "dependencies".',
});

/** More than one installed fwkit: one copy does not recognize the routes or errors of another. */
export const copies: Rule = ({ paths: { root } }) => {
  const own = dirname(createRequire(import.meta.url).resolve('fwkit/package.json'));
  const installed = installedFor(root, 'fwkit');
  const { install, add, program } = packageManager(root);
  if (installed === undefined)
    return [
      finding(`fwkit is not installed for this project; this is the copy of ${own}.`, `Run ${add} fwkit.`),
    ];
  const found: Finding[] = [];
  if (realpathSync(own) !== installed)
    found.push(
      finding(
        `This is fwk ${versionIn(own)} of ${own}, and the project has ${versionIn(installed)} of its own.`,
        `Run it in its folder as ${program} fwk, or from a script of package.json.`,
      ),
    );
  const others = [...copiesFor(root)].filter((folder) => folder !== installed);
  for (const folder of others)
    found.push(
      finding(
        `There is a second fwkit, ${versionIn(folder)}, in ${toPosix(relative(root, folder))}: one does not recognize the routes and errors of the other.`,
        `Have all packages ask for one version, ${versionIn(installed)}, and run ${install}.`,
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

function installedFor(folder: string, name: string): string | undefined {
  const place = installedIn(folder, name);
  return place && realpathSync(place);
}

function copiesFor(root: string): ReadonlySet<string> {
  const { dependencies, devDependencies } = manifestIn(root) ?? {};
  const folders = Object.keys({ ...dependencies, ...devDependencies }).map((name) =>
    installedFor(root, name),
  );
  return new Set(folders.flatMap((one) => (one && installedFor(one, 'fwkit')) ?? []));
}

/** The oldest version that the public types are tested with. */
const OLDEST = [5, 9] as const;

export const oldTypeScript: Rule = ({ paths: { root } }) => {
  const version = versionFor(root);
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST;
  const isOld = major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
  if (version === undefined || !isOld) return [];
  return [
    {
      rule: 'old-typescript',
      code: 'FWK621',
      file: 'package.json',
      message: `installs TypeScript ${version}, but the types of fwkit need ${OLDEST.join('.')} or later.`,
      fix: `Run ${packageManager(root).addForDevelopment} typescript@latest, or leave it out: @fwkit/build has one.`,
    },
  ];
};

function versionFor(root: string): string | undefined {
  const folder = installedFor(root, 'typescript');
  const version = folder && manifestIn(folder)?.version;
  return typeof version === 'string' ? version : undefined;
}
