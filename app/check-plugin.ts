import type { Examination, Finding, Guide, TypeContribution } from '../contributions/index.js';
import {
  attributeErrors,
  type Generation,
  isObject,
  PLUGIN_API_VERSION,
  type Plugin,
  PluginMisuse,
  type Project,
} from '../kernel/index.js';
import { framesOf } from '../loader/index.js';
import { INVALID_KEY, isCtxKey } from '../plugins/context/internal.js';

/** The commands of `fwk` itself. A plugin's command cannot have one of these names. */
export const COMMAND_NAMES = [
  'dev',
  'build',
  'test',
  'types',
  'routes',
  'mcp',
  'scaffold',
  'skills',
  'generate',
  'plugin',
  'docs',
  'doctor',
  'repl',
] as const;

export type CommandName = (typeof COMMAND_NAMES)[number];

const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
/** Keys of the config that do not belong to a plugin, and flags that every command has. */
export const CONFIG_KEYS = ['plugins', 'disable', 'disableUnsafe'];
const OWN_FLAGS = ['dir', 'help', 'version', 'h', 'v'];

/** The parser of the command line reads `--no-x` as `x` switched off. */
const isFlagName = (name: string): boolean =>
  NAME.test(name) && !name.startsWith('no-') && !(name in Object.prototype);

export function mistakeIn(item: unknown, index: number): string | undefined {
  const at = `in "plugins", at position ${index + 1},`;
  if (typeof item === 'function')
    return `${at} the function ${item.name || 'of a plugin'}, which makes a plugin. Call it: ${item.name || 'plugin'}().`;
  if (item instanceof Promise) return `${at} a promise of a plugin. Write await before it.`;
  if (item === undefined) return `${at} undefined. Check the name that is imported.`;
  if (!isObject(item))
    return `${at} ${JSON.stringify(item) ?? typeof item}, which is not a plugin. Make one with definePlugin({ name, apply }).`;
  const { name } = item;
  if (typeof name !== 'string' || !NAME.test(name) || CONFIG_KEYS.includes(name))
    return `${at} a plugin named ${JSON.stringify(name) ?? 'undefined'}. A name is lower case with dashes, such as "my-plugin", and not ${CONFIG_KEYS.map((key) => `"${key}"`).join(' or ')}.`;
  const fault = faultOf(item);
  return fault && `plugin "${name}", ${fault}`;
}

function faultOf(plugin: Readonly<Record<string, unknown>>): string | undefined {
  const {
    apply,
    needs = [],
    apiVersion = PLUGIN_API_VERSION,
    options = {},
    commands = [],
    additions = [],
  } = plugin;
  if (typeof apply !== 'function') return 'whose "apply" is not a function. Pass a function that taps hooks.';
  for (const key of ['guide', 'types', 'provides', 'doctor'])
    if (plugin[key] !== undefined && typeof plugin[key] !== 'function')
      return `whose "${key}" is not a function. Give one, or leave it out.`;
  if (plugin.optionsType !== undefined && typeof plugin.optionsType !== 'string')
    return 'whose "optionsType" is not a string. Give a TypeScript type, such as "import(\'fwk-jobs\').JobsOptions".';
  if (!Array.isArray(needs) || !needs.every((need) => typeof need === 'string'))
    return 'whose "needs" is not a list of names. Give the names of plugins.';
  if (!Number.isSafeInteger(apiVersion)) return 'whose "apiVersion" is not a version. Give a whole number.';
  const isOption = (one: unknown) => isObject(one) && typeof one.accepts === 'function';
  if (!isObject(options) || !Object.values(options).every(isOption))
    return 'whose "options" are not options. Make each with option of fwkit/plugin.';
  if (!Array.isArray(commands)) return 'whose "commands" are not a list. Give a list of commands.';
  if (!Array.isArray(additions))
    return 'whose "additions" are not a list. Give a list of { command, flag, load }.';
  return [...commands.map(faultOfCommand), ...additions.map(faultOfAddition)].find(
    (fault) => fault !== undefined,
  );
}

function faultOfAddition(addition: unknown): string | undefined {
  const { command, flag, load } = isObject(addition) ? addition : {};
  const adds = `which adds to the command ${JSON.stringify(command) ?? 'undefined'}`;
  if (command !== 'routes' && command !== 'build') return `${adds}. Add to "routes" or "build".`;
  if (typeof load !== 'function') return `${adds} without load. Give load: () => import('./part.js').`;
  if (flag === undefined)
    return command === 'routes' ? `${adds} without a flag. Give flag: { name, description }.` : undefined;
  const name = isObject(flag) ? flag.name : undefined;
  if (typeof name !== 'string' || !NAME.test(name))
    return `${adds} with a flag without a name. A name is lower case with dashes, such as "open-api".`;
  return OWN_FLAGS.includes(name)
    ? `${adds} with the flag "${name}", which every command has. Rename it.`
    : undefined;
}

function faultOfCommand(command: unknown): string | undefined {
  if (!isObject(command) || typeof command.name !== 'string' || !NAME.test(command.name))
    return 'which has a command without a name. A name is lower case with dashes, such as "send-mail".';
  const { name, description, flags = [], load } = command;
  if (name in Object.prototype) return `which has a command named "${name}". Choose another name.`;
  if (typeof description !== 'string' || typeof load !== 'function')
    return `whose command "${name}" lacks a description or load. Give both: load: () => import('./${name}.js').`;
  if (!Array.isArray(flags) || !flags.every((flag) => isObject(flag) && typeof flag.name === 'string'))
    return `whose command "${name}" has flags that are not a list of { name, description }. Give one.`;
  const odd: unknown = flags.find(({ name }) => !isFlagName(name))?.name;
  if (odd !== undefined)
    return `whose command "${name}" has a flag "${odd}". A name is lower case with dashes, such as "dry-run", and does not begin with "no-".`;
  const taken: unknown = flags.find(({ name }) => OWN_FLAGS.includes(name))?.name;
  return taken === undefined
    ? undefined
    : `whose command "${name}" has the flag "${taken}", which every command has. Rename it.`;
}

/** Returns `plugin` with members that name it if they throw: code of other plugins calls them. */
export function withPluginName(plugin: Plugin, root: string): Plugin {
  const { name, guide, types, provides, doctor } = plugin;
  const naming = <Args extends readonly unknown[], R>(what: string, run: (...args: Args) => R) => {
    return (...args: Args): R => attributeErrors(name, what, framesOf(root), () => run(...args))() as R;
  };
  const ofGuide = async (load: () => Promise<Guide>): Promise<Guide> => {
    const { starter, guidance } = await load();
    return {
      ...(starter && { starter: naming('the starter of its guide', starter) }),
      ...(guidance && {
        guidance: naming('the guidance of its guide', (generation: Generation) =>
          checkText('guidance is', guidance(generation), "Return '' for none"),
        ),
      }),
    };
  };
  const ofTypes = ({ exports, ...part }: TypeContribution): TypeContribution => ({
    ...part,
    declarations: declarationsIn(part),
    ...(exports && { exports: naming('types', exports) }),
  });
  return {
    ...plugin,
    apply: (hooks, options) => plugin.apply(hooks, options),
    ...(guide && { guide: naming('guide', () => ofGuide(guide)) }),
    ...(types && {
      types: naming('types', (...given: Parameters<typeof types>) => {
        const part = types(...given);
        return part === undefined ? undefined : ofTypes(part);
      }),
    }),
    ...(provides && {
      provides: naming('provides', (project: Project) => checkKeys(provides(project))),
    }),
    ...(doctor && {
      doctor: naming('doctor', async () => {
        const { examine } = await doctor();
        return {
          examine: naming('its doctor', async (examination: Examination) =>
            checkFindings(await examine(examination)),
          ),
        };
      }),
    }),
  };
}

/** Returns the types of values of `ctx`, if they have keys that `provide` accepts. */
function checkKeys<Types extends object | undefined>(types: Types): Types {
  const odd = Object.keys(types ?? {}).find((key) => !isCtxKey(key));
  if (odd === undefined) return types;
  throw new PluginMisuse(`it returns the type of ctx.${odd}${INVALID_KEY}`);
}

function checkFindings(findings: unknown): readonly Finding[] {
  const isText = (value: unknown) => typeof value === 'string';
  const isFinding = (one: unknown): one is Finding =>
    isObject(one) && isText(one.rule) && isText(one.message) && isText(one.fix) && isText(one.file ?? '');
  if (Array.isArray(findings) && findings.every(isFinding)) return findings;
  throw new PluginMisuse(
    'it did not return a list of findings. A finding has the strings rule, message and fix, and may have a file',
  );
}

function checkText(what: string, text: unknown, otherwise: string): string {
  if (typeof text === 'string') return text;
  throw new PluginMisuse(`its ${what} not a string. ${otherwise}`);
}

const declarationsIn = ({ declarations }: { readonly declarations: unknown }): string =>
  checkText('declarations are', declarations, 'Return undefined instead of the object for none');
