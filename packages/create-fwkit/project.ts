import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import type { Target } from './target.js';
import { UsageError } from './usage.js';

/** Milliseconds that a program which was asked to end has for it. */
const END_TIMEOUT_MS = 5_000;

/** The end of a program that was started. */
export interface Ended {
  readonly status: number;
  readonly output: string;
}

/** Starts programs, and ends the one that runs when this process is asked to end. */
export class Programs {
  #running: ChildProcess | undefined;
  #signal: NodeJS.Signals | undefined;

  constructor() {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => {
        this.#signal ??= signal;
        this.#end();
      });
  }

  /** The signal that this process got. */
  get signal(): NodeJS.Signals | undefined {
    return this.#signal;
  }

  /** Run a program to its end. `isShown`: it writes to the terminal itself. Rejects where it cannot be started. */
  async run([program, ...args]: readonly string[], cwd: string, isShown = false): Promise<Ended> {
    const shell = process.platform === 'win32' && program !== process.execPath;
    const child = spawn(program ?? '', args, {
      cwd,
      shell,
      stdio: isShown ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    });
    this.#running = child;
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    if (this.#signal) this.#end();
    const [code] = (await once(child, 'close')) as [number | null];
    this.#running = undefined;
    return { status: code ?? 1, output };
  }

  #end(): void {
    const child = this.#running;
    child?.kill('SIGTERM');
    setTimeout(() => child?.kill('SIGKILL'), END_TIMEOUT_MS).unref();
  }
}

/** Make the project, by `fwk scaffold` of the fwkit beside this package. What fails leaves nothing behind. */
export async function makeProject(
  { folder, shown, name }: Target,
  js: boolean,
  programs: Programs,
): Promise<void> {
  let made: string | undefined;
  try {
    made = mkdirSync(folder, { recursive: true });
  } catch (cause) {
    throw new UsageError(
      `"${shown}" cannot be made: ${(cause as Error).message}. Choose a folder that you may write to.`,
    );
  }
  const before = readdirSync(folder);
  const undo = () => {
    if (made !== undefined) return rmSync(made, { recursive: true, force: true });
    for (const one of readdirSync(folder))
      if (!before.includes(one)) rmSync(join(folder, one), { recursive: true, force: true });
  };
  try {
    writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ name, private: true }, null, 2)}\n`);
    const command = [process.execPath, scaffolder(), 'scaffold', '--dir', folder, ...(js ? ['--js'] : [])];
    const { status, output } = await programs.run(command, folder);
    if (programs.signal) throw new UsageError(`Stopped by ${programs.signal}: nothing was made.`);
    if (status !== 0) throw new UsageError(`"${shown}" was not made: ${output.trim()}`);
  } catch (thrown) {
    undo();
    if (thrown instanceof UsageError) throw thrown;
    throw new UsageError(
      `"${shown}" cannot be written: ${(thrown as Error).message}. Choose a folder that you may write to.`,
    );
  }
}

/** The program `fwk`. Throws UsageError where it is not installed beside this one. */
function scaffolder(): string {
  const manifest = manifestOfFwkit();
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin: { fwk: string } };
  return join(dirname(manifest), bin.fwk);
}

function manifestOfFwkit(): string {
  try {
    return createRequire(import.meta.url).resolve('fwkit/package.json');
  } catch {
    throw new UsageError(
      'fwkit is not installed beside create-fwkit, as it is by npm create fwkit. Run that again, or install both.',
    );
  }
}

/** The package manager that runs this, and the words to go on with it. */
export interface Manager {
  readonly name: string;
  /** The command that people type to install. */
  readonly install: string;
  /** What runs a script. */
  readonly script: string;
  /** The program that installs, and its arguments. */
  readonly installer: readonly string[];
}

const SCRIPTS: Readonly<Record<string, string>> = {
  npm: 'npm run',
  pnpm: 'pnpm',
  yarn: 'yarn',
  bun: 'bun run',
};

/** To ask for known vulnerabilities takes npm a second, and `--json` would be what it made of `--js`. */
const QUIET: Readonly<Record<string, readonly string[]>> = { npm: ['--no-audit', '--no-fund', '--no-json'] };

/** The package manager of these variables; npm where they name none that is known. */
export function managerOf({
  npm_config_user_agent: agent = '',
  npm_execpath: path = '',
}: NodeJS.ProcessEnv): Manager {
  // `pnpm/10.1.0 npm/? node/v22.1.0 linux x64`
  const [caller = ''] = agent.split('/');
  const name = Object.hasOwn(SCRIPTS, caller) ? caller : 'npm';
  // Its own script, run by this Node: on Windows, programs named .cmd are started by a shell alone.
  const isScript = /\.[cm]?js$/.test(path) && basename(path).startsWith(name);
  return {
    name,
    install: `${name} install`,
    script: SCRIPTS[name] ?? 'npm run',
    installer: [...(isScript ? [process.execPath, path] : [name]), 'install', ...(QUIET[name] ?? [])],
  };
}
