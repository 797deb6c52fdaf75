import { parseArgs } from 'node:util';

/** A mistake of the person at the command line: one sentence. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What was asked for. */
export interface Usage {
  /** The folder, as it was given; undefined where it was not. */
  readonly folder: string | undefined;
  /** The name in package.json, where it was given. */
  readonly name: string | undefined;
  readonly js: boolean;
  readonly install: boolean;
  readonly git: boolean;
  readonly yes: boolean;
  readonly help: boolean;
  readonly version: boolean;
}

/** Without the two dashes, npm takes `--js` for its own `--json`. Nobody creates a project as JSON. */
const isTakenByNpm = (): boolean => [process.env.npm_config_js, process.env.npm_config_json].includes('true');

const SWITCHES = ['js', 'install', 'git', 'yes', 'help', 'version'];

const OPTIONS = {
  name: { type: 'string' },
  yes: { type: 'boolean', short: 'y' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

export const HELP = `Usage: npm create fwkit [folder] [-- flags]

Makes a project in a new folder, or in an empty one, and installs its packages.

  --js           JavaScript, instead of TypeScript
  --name <name>  the name in package.json; default: that of the folder
  --no-install   leave out installing the packages
  --git          make the folder a git repository
  --yes, -y      ask nothing: without a folder, it is my-app
  --version, -v
  --help, -h

npm passes flags on behind two dashes; pnpm, yarn and bun as they are.
Where a project is already, fwk scaffold completes it.`;

/** Read the arguments. Throws a UsageError for one that there is not. */
export function readUsage(args: readonly string[]): Usage {
  const { tokens } = parseArgs({ args: [...args], strict: false, tokens: true, options: OPTIONS });
  const switches = new Map<string, boolean>();
  const folders: string[] = [];
  let name: string | undefined;
  for (const token of tokens) {
    if (token.kind === 'positional') folders.push(token.value);
    if (token.kind !== 'option') continue;
    const isNegative = token.name.startsWith('no-');
    const word = isNegative ? token.name.slice('no-'.length) : token.name;
    if (word === 'name' && !isNegative) {
      if (token.value === undefined || token.value === '')
        throw new UsageError('--name needs a value: --name my-app.');
      name = token.value;
    } else if (!SWITCHES.includes(word))
      throw new UsageError(`There is no flag "${token.rawName}". create-fwkit --help lists all.`);
    else if (token.value !== undefined)
      throw new UsageError(`${token.rawName} takes no value, not "${token.value}".`);
    else switches.set(word, !isNegative);
  }
  const [folder, second] = folders;
  if (second !== undefined)
    throw new UsageError(
      `One folder is made at a time, not "${folder}" and "${second}". Put a name with spaces in quotes.`,
    );
  const isOn = (word: string) => switches.get(word) === true;
  return {
    folder,
    name,
    js: switches.get('js') ?? isTakenByNpm(),
    install: switches.get('install') ?? true,
    git: isOn('git'),
    yes: isOn('yes'),
    help: isOn('help'),
    version: isOn('version'),
  };
}
