import { BootError } from '../../kernel/internal.js';

/** The names of a plugin package and its parts. */
export interface PluginNames {
  /** `daily-report`: of the plugin, and of the directory of its files. */
  readonly plugin: string;
  /** `fwk-daily-report`: of the package, and of the folder that it is in. */
  readonly package: string;
  /** `dailyReport`: the function that makes the plugin, and its key in `fwk.config`. */
  readonly factory: string;
  /** `defineDailyReport`: the function whose result a file exports. */
  readonly define: string;
  /** `DailyReport`: the type of that. */
  readonly type: string;
}

const KEBAB_CASE = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const MAX_LENGTH = 60;

/** Words that no function may have as its name, and names that the files of the package use for something else. */
const UNUSABLE = new Set([
  ...'arguments async await break case catch class const continue debugger default delete do else enum eval'.split(
    ' ',
  ),
  ...'export extends false finally for function if implements import in instanceof interface let new null'.split(
    ' ',
  ),
  ...'package private protected public return static super switch this throw true try typeof undefined'.split(
    ' ',
  ),
  ...'var void while with yield'.split(' '),
  ...'app assert brand check config disable fixtures name option plugin plugins test'.split(' '),
]);

/** The names of a plugin that is to be called `given`. Throws a BootError where it cannot be called that; `taken` are names of built-ins. */
export function namesOf(given: string, taken: readonly string[]): PluginNames {
  const refuse = (message: string): never => {
    throw new BootError({ message, code: 'FWK614' });
  };
  if (given.startsWith('fwk-'))
    refuse(`"${given}" begins with fwk-, which is put before the name anyway. Leave it out.`);
  if (!KEBAB_CASE.test(given))
    refuse(
      `"${given}" cannot be the name of a plugin. Use lower-case letters, digits and single dashes, such as "daily-report".`,
    );
  if (given.length > MAX_LENGTH)
    refuse(`"${given}" is longer than ${MAX_LENGTH} characters. Choose a shorter name.`);
  if (taken.includes(given)) refuse(`"${given}" belongs to a built-in plugin. Choose another name.`);
  if (UNUSABLE.has(given))
    refuse(`"${given}" cannot be the name of a function in its code. Choose another name.`);
  const factory = given.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  const type = factory.charAt(0).toUpperCase() + factory.slice(1);
  return { plugin: given, package: `fwk-${given}`, factory, define: `define${type}`, type };
}
