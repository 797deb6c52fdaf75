import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  attributeErrors,
  ConfigError,
  type EnabledPlugin,
  isObject,
  PLUGIN_API_VERSION,
  type Plugin,
  type Problem,
  type ProblemCode,
  type ProjectPaths,
  toPosix,
} from '../kernel/index.js';
import { framesOf, type Loader, problemOf, reportWaiting, waitingModules } from '../loader/index.js';

import { CONFIG_KEYS, mistakeIn } from './check-plugin.js';
import { guardPlugin } from './guard-plugin.js';
import { similar } from './similar.js';

const CONFIG_FILES = ['fwk.config.ts', 'fwk.config.mts', 'fwk.config.js', 'fwk.config.mjs'];

export const findConfig = (source: string): string | undefined =>
  CONFIG_FILES.find((candidate) => existsSync(join(source, candidate)));

export const configPaths = (source: string): readonly string[] =>
  CONFIG_FILES.map((name) => join(source, name));

export const NO_CONFIG: LoadedConfig = { file: 'fwk.config', value: {} };

export async function loadConfig({ root, source }: ProjectPaths, loader: Loader): Promise<LoadedConfig> {
  const name = findConfig(source);
  if (name === undefined) return NO_CONFIG;
  const file = toPosix(relative(root, join(source, name)));
  const restoreExit = rejectExit(root);
  const loading = loader
    .import(join(source, name))
    .finally(reportWaiting(() => waitingModules(loader, root)))
    .finally(restoreExit);
  const { default: value } = await loading.catch((thrown) => {
    throw new ConfigError(
      thrown instanceof ExitCall
        ? { file, message: thrown.message, code: 'FWK106' }
        : problemOf(thrown, 'throws when it is imported', file, root, 'FWK106'),
    );
  });
  if (isObject(value)) return { file, value, root };
  const message = 'has no default export that is an object. Export default defineConfig({ … }).';
  throw new ConfigError({ file, message, code: 'FWK203' });
}

class ExitCall extends Error {}

/** Makes `process.exit()` throw in code of the project, because the command would end without a message. Returns a function to undo it. */
function rejectExit(root: string): () => void {
  const { exit } = process;
  const own = fileURLToPath(new URL('.', import.meta.url));
  process.exit = (code) => {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = Number.POSITIVE_INFINITY;
    const frames = new Error().stack?.replaceAll('file://', '').split('\n') ?? [];
    Error.stackTraceLimit = limit;
    if (!frames.some((frame) => frame.includes(root) && !frame.includes(own))) return exit(code);
    const call = `process.exit(${code ?? process.exitCode ?? ''})`;
    throw new ExitCall(
      `calls ${call} when it is imported, directly or in a module that it imports. Throw an error instead.`,
    );
  };
  return () => {
    process.exit = exit;
  };
}

/** A function has a name and `apply`, like a plugin: a function that returns a plugin has to be called. */
type PluginObject = Plugin & { readonly call?: never };

/** The keys of `fwk.config`, in addition to one key per plugin that has options. */
export interface BaseConfig {
  /** External plugins, after the built-in plugins. */
  readonly plugins?: readonly PluginObject[];
  /** Names of plugins to switch off. Rejected for a plugin that protects the project. */
  readonly disable?: readonly string[];
  /** Names of plugins to switch off although the project needs them. */
  readonly disableUnsafe?: readonly string[];
}

export const disabledIn = ({ disable = [], disableUnsafe = [] }: LoadedConfig['value']): readonly string[] =>
  [disable, disableUnsafe].flat().filter(isString);

type Report = (message: string, code: ProblemCode) => void;

/** The option of a plugin that is disabled until its key is in the config. */
const SWITCH = 'enabled';

export interface LoadedConfig {
  readonly file: string;
  readonly root?: string;
  readonly value: Readonly<Record<string, unknown>>;
  /** Paths of options that code passes, such as `session` or `session.maxAge`, and the names of other options that it could pass. */
  readonly given?: { readonly keys: readonly string[]; readonly knownOptions: readonly string[] };
}

/** Merges the options that code passes into the options of the file, option by option: true and false switch a plugin, undefined does nothing. */
export function withOverrides(
  file: LoadedConfig['value'],
  overrides: object,
  knownOptions: readonly string[],
): Required<Pick<LoadedConfig, 'value' | 'given'>> {
  const value: Record<string, unknown> = { ...file };
  const keys: string[] = [];
  for (const [name, override] of Object.entries(overrides) as [string, unknown][]) {
    if (override === undefined) continue;
    const own = memberOf(file, name);
    const options = typeof override === 'boolean' && isObject(own) ? { [SWITCH]: override } : override;
    if (!isObject(options) || !isObject(own)) keys.push(name);
    if (isObject(options)) {
      const given = Object.entries(options).filter(([, option]) => option !== undefined);
      keys.push(...given.map(([key]) => `${name}.${key}`));
      value[name] = { ...(isObject(own) ? own : {}), ...Object.fromEntries(given) };
    } else value[name] = override;
  }
  return { value, given: { keys, knownOptions } };
}

const flagOf = (command: string, name: string): string => `"--${name}" of fwk ${command}`;
const OWN_FLAGS = [flagOf('routes', 'verbose'), flagOf('build', 'docker'), flagOf('build', 'force')];
const quoted = (name: string): string => `"${name}"`;

/** The enabled plugins with their options; their commands must not be named as in `reserved`. Throws a ConfigError with every mistake. */
export function readConfig(
  { file, value, root = '', given = { keys: [], knownOptions: [] } }: LoadedConfig,
  builtins: readonly Plugin[],
  reserved: readonly string[] = [],
): readonly EnabledPlugin[] {
  const problems: Problem[] = [];
  const report: Report = (message, code) => void problems.push({ file, message, code });
  const listed = readList(value, 'plugins', isAnything, 'a list of plugins', report);
  const mistakes = listed.flatMap((item, index) => mistakeIn(item, index) ?? []);
  for (const mistake of mistakes) report(`has ${mistake}`, 'FWK701');
  if (mistakes.length > 0) throw new ConfigError(problems);
  const outside = listed.filter(isPlugin);
  const plugins = [...builtins, ...outside];
  const names = plugins.map(({ name }) => name);
  const disable = ['disable', 'disableUnsafe'].flatMap((key) =>
    readList(value, key, isString, `a list of plugin names`, report),
  );
  const suggest = (given: string, known: readonly string[]) => {
    const meant = similar(given, known);
    if (known.length === 0) return 'The plugin has no options. Remove it.';
    return meant === undefined ? `There are ${known.join(', ')}.` : `Did you mean "${meant}"?`;
  };

  for (const name of new Set(names.filter((name, index) => names.indexOf(name) !== index)))
    report(`has two plugins named "${name}". Remove one of them.`, 'FWK702');
  for (const name of disable)
    if (!names.includes(name))
      report(`cannot disable "${name}": there is no such plugin. ${suggest(name, names)}`, 'FWK703');

  const enabled = plugins.filter(({ name }) => !disable.includes(name));
  for (const { name, needs = [], apiVersion = PLUGIN_API_VERSION } of enabled) {
    if (apiVersion > PLUGIN_API_VERSION)
      report(
        `has plugin "${name}", which needs version ${apiVersion} of the plugin API; this fwkit has ${PLUGIN_API_VERSION}. Update fwkit.`,
        'FWK705',
      );
    for (const need of needs)
      if (!names.includes(need))
        report(`has plugin "${name}", which needs "${need}". Add that plugin too.`, 'FWK704');
  }
  for (const need of new Set(disable)) {
    const dependents = enabled
      .filter(({ needs = [] }) => needs.includes(need))
      .map(({ name }) => `"${name}"`);
    const [one] = dependents;
    if (one === undefined) continue;
    const [needy, too] =
      dependents.length === 1
        ? [`plugin ${one} needs it`, `Disable ${one} too`]
        : [`${dependents.length} plugins need it: ${dependents.join(', ')}`, 'Disable all of them too'];
    report(`cannot disable "${need}": ${needy}. ${too}, or keep "${need}".`, 'FWK704');
  }

  const commandNames = reserved.map(quoted);
  reportClashes('commands named', commandNames, 'fwk', ({ commands = [] }) =>
    commands.map(({ name }) => quoted(name)),
  );
  reportClashes('flags', OWN_FLAGS, 'fwk itself', ({ additions = [] }) =>
    additions.flatMap(({ command, flag }) => (flag ? flagOf(command, flag.name) : [])),
  );

  const configurable = plugins.filter(({ options }) => options).map(({ name }) => keyOf(name));
  const keys = [...CONFIG_KEYS, ...configurable];
  for (const key of Object.keys(value))
    if (!keys.includes(key)) {
      const isOfPlugin = plugins.some(({ name }) => keyOf(name) === key);
      const known = isGiven(key) ? [...keys, ...given.knownOptions] : keys;
      reportUnknown(key, key, isOfPlugin ? [] : known);
    }

  const applied = enabled.map((plugin) => ({
    plugin: builtins.includes(plugin) ? withOptionTypes(plugin, outside) : guardPlugin(plugin),
    options: readOptions(plugin),
  }));
  if (problems.length > 0) throw new ConfigError(problems);
  return applied;

  function isGiven(key: string): boolean {
    return given.keys.includes(key);
  }

  function reportUnknown(key: string, name: string, known: readonly string[]): void {
    const [last = name] = name.split('.').slice(-1);
    const says = `an unknown key "${name}". ${suggest(last, known)}`;
    reportIn(key, isGiven(key) ? `The options have ${says}` : `has ${says}`, 'FWK201');
  }

  function reportIn(key: string, message: string, code: ProblemCode): void {
    problems.push(isGiven(key) ? { message, code } : { file, message, code });
  }

  /** Report each name that two plugins use for the same kind of thing, or that `owner` already has in `taken`. */
  function reportClashes(
    sort: string,
    taken: readonly string[],
    owner: string,
    namesOf: (plugin: Plugin) => readonly string[],
  ): void {
    const owners = new Map(taken.map((name) => [name, owner]));
    for (const plugin of enabled)
      for (const name of namesOf(plugin)) {
        const other = owners.get(name);
        const own = `plugin "${plugin.name}"`;
        if (other !== undefined)
          report(
            `has two ${sort} ${name}: of ${other} and of ${own}. Rename one of them, or disable "${plugin.name}".`,
            'FWK702',
          );
        owners.set(name, own);
      }
  }

  function readOptions({ name: plugin, options: shape }: Plugin): Record<string, unknown> {
    if (!shape) return {};
    const name = keyOf(plugin);
    const written = memberOf(value, name) ?? {};
    const isSwitch = Object.hasOwn(shape, SWITCH);
    const given = isSwitch && typeof written === 'boolean' ? { [SWITCH]: written } : written;
    if (!isObject(given)) {
      const also = isSwitch ? 'true, false or ' : '';
      reportIn(name, `"${name}" must be ${also}an object of options; it is ${show(written)}.`, 'FWK202');
      return {};
    }
    const known = Object.keys(shape);
    for (const key of Object.keys(given))
      if (!known.includes(key)) reportUnknown(`${name}.${key}`, `${name}.${key}`, known);
    return Object.fromEntries(
      Object.entries(shape).map(([key, { fallback, expected, accepts }]) => {
        // Setting one of its options enables the plugin.
        const silent = key === SWITCH && Object.hasOwn(value, name) ? true : fallback;
        const chosen = memberOf(given, key) ?? silent;
        const asked = attributeErrors(plugin, `accepts of its option "${key}"`, framesOf(root), () =>
          accepts(chosen),
        );
        if (!asked())
          reportIn(
            `${name}.${key}`,
            `"${name}.${key}" must be ${expected}; it is ${show(chosen)}.`,
            'FWK202',
          );
        return [key, chosen];
      }),
    );
  }
}

/** Has typegen declare the options of plugins from outside, disabled ones too: a config that keeps their options has to compile. */
function withOptionTypes(plugin: Plugin, outside: readonly Plugin[]): Plugin {
  if (plugin.name !== 'typegen') return plugin;
  const members = outside.flatMap(({ name, optionsType }) =>
    optionsType === undefined ? [] : `    readonly ${keyOf(name)}?: ${optionsType};\n`,
  );
  if (members.length === 0) return plugin;
  return { ...plugin, types: () => ({ declarations: `  interface Config {\n${members.join('')}  }\n` }) };
}

function readList<T>(
  config: LoadedConfig['value'],
  key: string,
  accepts: (item: unknown) => item is T,
  expected: string,
  report: Report,
): readonly T[] {
  const list = config[key] ?? [];
  if (Array.isArray(list) && list.every(accepts)) return list;
  report(`"${key}" must be ${expected}; it is ${show(list)}.`, 'FWK202');
  return [];
}

/** The key of a plugin's options: `securityHeaders` of `security-headers`. */
const keyOf = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

const memberOf = (value: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(value, name) ? value[name] : undefined;
const isAnything = (_value: unknown): _value is unknown => true;
const isString = (value: unknown): value is string => typeof value === 'string';
export const isPlugin = (value: unknown): value is Plugin =>
  isObject(value) && typeof value.name === 'string' && typeof value.apply === 'function';
const show = (value: unknown): string =>
  typeof value === 'function' ? 'a function' : (JSON.stringify(value) ?? 'undefined');
