import { spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants, setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Reload } from 'fwkit';
import { addInspectorTool, type InspectorTool } from 'fwkit/mcp';
import { messageOf, type Runtime, type Serving } from 'fwkit/plugin';
import type { Impact } from './impact/find-impact.js';
import type { Report } from './policy/findings.js';
import { counted, named, reasonsOf } from './report/outcome.js';

/** How long no other save may follow, in milliseconds. */
const QUIET_MS = 300;

/** Prints the endpoints that saved files may change, compared with the last commit, for projects in a git repository. */
async function printImpact(root: string, files: readonly string[], signal: AbortSignal): Promise<void> {
  if (!isInGit(root)) return;
  try {
    await setTimeout(QUIET_MS, undefined, { signal, ref: false });
    const report = await reportOfCommand(root, 'impact', ['--since=HEAD', '--', ...files], signal);
    const line = lineOf(JSON.parse(report));
    if (line !== undefined) console.log(line);
  } catch {
    // Another save followed, or the reload has reported the same error.
  }
}

const isInGit = (directory: string): boolean =>
  existsSync(join(directory, '.git')) || (dirname(directory) !== directory && isInGit(dirname(directory)));

function lineOf({ everything, routes, pages, sockets, tools, jobs, total }: Impact): string | undefined {
  const [why] = everything;
  const labels = [routes, pages, sockets, tools, jobs].flatMap((list) => list.map(({ label }) => label));
  const found = `${labels.length} of ${total.endpoints}: ${named(labels, ', ')}`;
  return why !== undefined || labels.length > 0 ? `impact: ${why ?? found}` : undefined;
}

/** The time limit of a command, in milliseconds: a guard may hang. */
const LIMIT_MS = 60_000;

/** Runs a command in a process of its own, and resolves with the report that it prints for `--json`. */
async function reportOfCommand(
  root: string,
  command: string,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<string> {
  const { resolve } = createRequire(join(root, 'package.json'));
  const program = join(dirname(resolve('fwkit/package.json')), 'cli/fwk.js');
  const child = spawn(process.execPath, [program, command, '--json', '--dir', root, ...args], {
    ...{ cwd: root, stdio: ['ignore', 'pipe', 'pipe'], timeout: LIMIT_MS, killSignal: 'SIGKILL' },
    env: { ...process.env, NO_COLOR: '1' },
    ...(signal ? { signal } : {}),
  });
  // The server that runs meanwhile goes first.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  const [out, errors, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  if (status === null) throw new Error(`fwk ${command} did not end within ${LIMIT_MS / 1_000} s.\n${errors}`);
  if (status > 1) throw new Error(errors.trim() || `fwk ${command} ended with exit code ${status}.`);
  return out;
}

/** Adds the lines after a save and the tools for coding assistants to a version that `fwk dev` serves. */
export async function develop({ runtime, project, routes, onStart, onClose }: Serving): Promise<void> {
  for (const tool of [PROVE, REACH, IMPACT]) addInspectorTool(project, toolOf(tool, project.root));
  const watch = await runtime.getOrCreate('prove.watch', () => new PolicyWatch(runtime, project.root));
  onStart(() => {
    const isFirst = !watch.current;
    watch.current = { project, routes };
    // The first version is no reload, so nothing else prints its lines.
    if (!isFirst) return;
    void watch.check().then((lines) => {
      for (const line of lines) console.log(line);
    });
  });
  // The next version replaces this one earlier, unless the plugin is disabled there.
  onClose(() => {
    if (watch.current?.project === project) watch.current = undefined;
  });
}

class PolicyWatch {
  current: Pick<Serving, 'project' | 'routes'> | undefined;
  /** A line for each violation: `GET /api/admin/export does not pass src/api/admin/_middleware.ts`. */
  #violations: ReadonlySet<string> | undefined;
  /** Why the policy could not be checked, if this has been printed. */
  #reported: string | undefined;
  /** One check at a time, in the order of the saves. */
  #checking: Promise<readonly string[]> = Promise.resolve([]);

  constructor(runtime: Runtime, root: string) {
    let save = new AbortController();
    const onReload = (message: unknown): void => {
      const reload = message as Reload;
      save.abort();
      if (!reload.isServed) return;
      reload.notes.push(this.check());
      save = new AbortController();
      void printImpact(root, reload.files, save.signal);
    };
    subscribe('fwk.reload', onReload);
    runtime.onEnd(() => {
      save.abort();
      unsubscribe('fwk.reload', onReload);
      return this.#checking;
    });
  }

  /** Resolves with the lines about the served version, after earlier versions have been checked. */
  check(): Promise<readonly string[]> {
    const { current } = this;
    const check = async (): Promise<readonly string[]> => {
      // The requests that waited for the save go first, and so does the line about the reload.
      await setImmediate();
      return current ? this.#news(current) : [];
    };
    this.#checking = this.#checking.then(check).catch((thrown) => {
      const line = `The policy is not checked: ${messageOf(thrown)}.`;
      const isNew = line !== this.#reported;
      this.#reported = line;
      return isNew ? [line] : [];
    });
    return this.#checking;
  }

  /** The lines to print about a version; none if nothing has changed. */
  async #news({ project, routes }: Pick<Serving, 'project' | 'routes'>): Promise<readonly string[]> {
    const { checkPolicy, policyFiles, readPolicy } = await import('./policy/check-policy.js');
    const hasPolicy = policyFiles(project).length > 0;
    const checked = hasPolicy ? checkPolicy(await readPolicy(project), routes, project) : [];
    const found = checked.flatMap(({ findings }) => findings);
    const now = new Set(found.map(({ route, file, problem }) => `${route ?? file} ${problem}`));
    const before = this.#violations;
    this.#violations = hasPolicy ? now : undefined;
    this.#reported = undefined;
    if (!before) return now.size > 0 ? [`The policy is violated: ${named([...now])}. See fwk prove.`] : [];
    if (!hasPolicy) return [];
    const added = [...now].filter((line) => !before.has(line));
    const fixed = [...before].filter((line) => !now.has(line));
    return Object.entries({ 'new violation': added, 'fixed violation': fixed }).flatMap(([noun, lines]) =>
      lines.length === 0 ? [] : `${counted(lines.length, noun)} of the policy: ${named(lines)}`,
    );
  }
}

type Input = Readonly<Record<string, unknown>>;

/** A command that is also a tool of `/_fwk/mcp`. */
interface CommandTool extends Pick<InspectorTool, 'name' | 'title' | 'description'> {
  readonly properties: Readonly<Record<string, object>>;
  readonly argumentsOf: (input: Input) => readonly string[];
  /** Shortens the JSON that the command prints. */
  readonly shorten?: (report: string) => string;
}

/** Each call runs the command in a process of its own, so that a guard that hangs or exits doesn't affect `fwk dev`. */
const toolOf = ({ properties, argumentsOf, shorten, ...tool }: CommandTool, root: string): InspectorTool => ({
  ...tool,
  inputSchema: { type: 'object', properties, additionalProperties: false },
  isReadOnly: true,
  isAboutProject: true,
  async run(input) {
    const report = await reportOfCommand(root, tool.name, argumentsOf(input));
    return shorten ? shorten(report) : report;
  },
});

const IMPACT: CommandTool = {
  name: 'impact',
  title: 'Impact of a change',
  description:
    'Which routes, pages, sockets, tools, jobs and test files a change reaches, over imports and over ctx, with the files on the way. Without arguments: all changes that are not committed yet. Call it after an edit to choose requests and tests to run, and before an edit, with the file in `files`, to see which endpoints use it.',
  properties: {
    since: {
      type: 'string',
      description: 'A ref of git to compare with. Default: HEAD, unless `files` are given.',
    },
    files: {
      type: 'array',
      items: { type: 'string' },
      description: 'Paths from the root of the project. Without `since` each counts as changed as a whole.',
    },
  },
  argumentsOf({ since, files }) {
    const named = Array.isArray(files) ? files.map(String) : [];
    const ref = typeof since === 'string' ? since : named.length === 0 ? 'HEAD' : undefined;
    return [...(ref === undefined ? [] : [`--since=${ref}`]), '--', ...named];
  },
};

const REACH: CommandTool = {
  name: 'reach',
  title: 'Reach of routes',
  description:
    'Lists the environment variables, packages, modules of Node, network access and templates that each route, socket, job and tool can reach in its own code, its middlewares and the values of ctx that it uses, and the places that cannot be followed. `excess` lists uses that .meta({ may: […] }) does not allow, with the path to each. Call it before you change a service, to see its users, and after you have written a route, to see everything it can do.',
  properties: {
    route: {
      type: 'string',
      description: 'A label such as "GET /api/books", a path, a file, or a part of one. Default: all routes.',
    },
  },
  argumentsOf: ({ route }) => (typeof route === 'string' ? ['--', route] : []),
};

const PROVE: CommandTool = {
  name: 'prove',
  title: 'Prove the policy',
  description:
    'Checks the project against its policy (policy.ts): which routes, sockets and tools lack a required middleware or scope, and which let in somebody who should be refused. Call it after you add or move a route, or edit a middleware. Each finding has the file, the problem and the fix. With static: true, it sends no requests and takes a second.',
  properties: { static: { type: 'boolean', description: 'Check without requests' } },
  argumentsOf: (input) => (input.static === true ? ['--static'] : []),
  // The proofs of a large project are long.
  shorten(text) {
    const { proven, ...report }: Report = JSON.parse(text);
    const exceptions = reasonsOf(proven);
    return JSON.stringify({ ...report, holding: proven.length - exceptions.length, exceptions });
  },
};
