import { spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import type { Reload } from 'fwkit';
import { addInspectorTool, type InspectorTool } from 'fwkit/mcp';
import { logSafely, type Runtime, type Serving } from 'fwkit/plugin';
import type { Report } from './policy/findings.js';
import type { PolicyNews, Served } from './prove/development.js';

/** What a version that `fwk dev` serves gets: the lines after a save, and tools for assistants. */
export async function develop(serving: Serving): Promise<void> {
  const { project } = serving;
  addInspectorTool(project, proveTool(project.root));
  addInspectorTool(project, reachTool(serving));
  addInspectorTool(project, impactTool(serving));
  await watchPolicy(serving);
}

/** Looks at the policy after each save, while `fwk dev` runs. */
class PolicyWatch {
  current: Served | undefined;
  /** Made when it is first needed, which is not while the project starts. */
  #news: PolicyNews | undefined;
  /** One look at a time, in the order of the saves. */
  #looking: Promise<unknown> = Promise.resolve();

  constructor(runtime: Runtime) {
    const heard = (message: unknown): void => this.#reloaded(message as Reload);
    subscribe('fwk.reload', heard);
    runtime.onEnd(() => {
      unsubscribe('fwk.reload', heard);
      return this.#looking;
    });
  }

  /** Resolves with what is to be told of a version, when those before have been looked at. */
  look(served: Served, changed: number): Promise<readonly string[]> {
    const lines = this.#looking.then(() => this.#linesAbout(served, changed));
    this.#looking = lines;
    return lines;
  }

  #reloaded({ isServed, routes, notes }: Reload): void {
    if (isServed && this.current)
      notes.push(
        this.look(this.current, routes.added.length + routes.removed.length + routes.changed.length),
      );
  }

  async #linesAbout(served: Served, changed: number): Promise<readonly string[]> {
    // The requests that waited for the save come first, and the line that says that it is served.
    await setImmediate();
    try {
      this.#news ??= new (await import('./prove/development.js')).PolicyNews();
      return await this.#news.about(served, changed);
    } catch (thrown) {
      logSafely(served.project.logger, 'error', 'The policy could not be looked at', thrown);
      return [];
    }
  }
}

/** Have a developer told after each save which guards it has lost. */
async function watchPolicy({ runtime, project, routes, onStart, onClose }: Serving): Promise<void> {
  const watch = await runtime.getOrCreate('prove.watch', () => new PolicyWatch(runtime));
  onStart(() => {
    const isFirst = !watch.current;
    watch.current = { project, routes };
    // No save, so nobody else tells it.
    if (isFirst)
      void watch.look(watch.current, 0).then((lines) => {
        for (const line of lines) console.log(line);
      });
  });
  // The next version takes its place before, unless the plugin is disabled there.
  onClose(() => {
    if (watch.current?.project === project) watch.current = undefined;
  });
}

/** The tool `impact` of `/_fwk/mcp`: what edits reach, in the version that serves. */
const impactTool = ({ project, routes }: Pick<Serving, 'project' | 'routes'>): InspectorTool => ({
  name: 'impact',
  title: 'What a change reaches',
  description:
    'Which routes, pages, sockets, tools, jobs and test files a change reaches, over imports and over ctx, with the files on the way. Without arguments: all that is not committed yet. Call it after an edit, to know what to try and which tests to run, and before one, with the file in `files`, to know whom it concerns.',
  inputSchema: {
    type: 'object',
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
      data: { type: 'boolean', description: 'Add what shares data with the change.' },
    },
    additionalProperties: false,
  },
  isReadOnly: true,
  isAboutProject: true,
  async run({ since, files, data }) {
    const [{ findChanges }, { findImpact }, { dependenciesOf }] = await Promise.all([
      import('./impact/changes.js'),
      import('./impact/find-impact.js'),
      import('./impact/packages.js'),
    ]);
    const named = Array.isArray(files) ? files.filter((file) => typeof file === 'string') : [];
    const ref = typeof since === 'string' ? since : named.length === 0 ? 'HEAD' : undefined;
    const changes = await findChanges(project.root, { files: named, since: ref });
    const resolution = { project, routes, problems: [], dependencies: dependenciesOf(project.root) };
    return JSON.stringify(await findImpact(resolution, { ...changes, since: ref, withData: data === true }));
  },
});

/** The tool `reach` of `/_fwk/mcp`: what the routes of the version that serves can touch. */
const reachTool = ({ project, routes }: Pick<Serving, 'project' | 'routes'>): InspectorTool => ({
  name: 'reach',
  title: 'What routes can touch',
  description:
    'What each route, socket, job and tool can reach, by itself and through its middlewares and the values of ctx that it uses: services with their files, names of the environment, packages, modules of Node, network, templates, and the places that cannot be followed. `excess` is what goes beyond .meta({ may: […] }), with the way to it. Call it before you change a service, to see who uses it, and after you have written a route, to see what it can do.',
  inputSchema: {
    type: 'object',
    properties: {
      route: {
        type: 'string',
        description:
          'A label such as "GET /api/books", a path, a file, or a part of one. Default: all routes.',
      },
    },
    additionalProperties: false,
  },
  isReadOnly: true,
  isAboutProject: true,
  async run({ route }) {
    const { survey, answer } = await import('./reach/survey.js');
    const found = answer(await survey({ project, routes }), typeof route === 'string' ? route.trim() : '');
    if (typeof found === 'string') throw new Error(found);
    return JSON.stringify(found);
  },
});

/** After how long a run is given up, in milliseconds: a guard may hang. */
const LIMIT_MS = 60_000;

const DESCRIPTION = `Hold the project against its policy (policy.ts): which routes, sockets and tools miss a middleware or a scope that it asks
for, and which let somebody in who should be refused. Call it after adding or moving a route, or after an edit of a middleware. Each finding has
the file, what is wrong and what to do. Give static: true for the chains alone, in a second and without a request.`;

/** The tool for assistants: `fwk prove --json` in a process of its own, which a guard that hangs or ends it does not take along. */
const proveTool = (root: string): InspectorTool => ({
  name: 'prove',
  title: 'Prove the policy',
  description: DESCRIPTION,
  inputSchema: {
    type: 'object',
    properties: {
      static: { type: 'boolean', description: 'Look at chains alone; send no request' },
      proven: { type: 'boolean', description: 'List what holds, too' },
    },
    additionalProperties: false,
  },
  isReadOnly: true,
  isAboutProject: true,
  async run(input) {
    const report = await proved(root, input.static === true ? ['--static'] : []);
    return JSON.stringify(input.proven === true ? report : shortened(report), null, 2);
  },
});

/** Without what holds: of a large project that is long. What is let be is said, with its reason. */
function shortened({ proven, ...report }: Report): object {
  const letBe = proven.filter(({ by }) => /^(public|except): /.test(by));
  return { ...report, holding: proven.length - letBe.length, letBe };
}

async function proved(root: string, flags: readonly string[]): Promise<Report> {
  const child = spawn(process.execPath, [commandOf(root), 'prove', '--json', '--dir', root, ...flags], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
    env: { ...process.env, NO_COLOR: '1' },
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
  });
  const [out, said, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (status === null) throw new Error(`fwk prove did not end within ${LIMIT_MS / 1_000} s.\n${said}`);
  if (status > 1) throw new Error(said.trim() || `fwk prove ended with status ${status}.`);
  return JSON.parse(out);
}

/** The program `fwk` of the project. */
const commandOf = (root: string): string =>
  join(dirname(createRequire(join(root, 'package.json')).resolve('fwkit/package.json')), 'cli/fwk.js');
