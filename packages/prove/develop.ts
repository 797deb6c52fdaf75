import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setImmediate } from 'node:timers/promises';
import type { Reload } from 'fwkit';
import { addInspectorTool, type InspectorTool } from 'fwkit/mcp';
import { logSafely, type Runtime, type Serving } from 'fwkit/plugin';
import type { Report } from './policy/findings.js';
import type { PolicyNews, Served } from './prove/development.js';
import { ImpactLine, reportOfCommand } from './prove/impact-line.js';
import { reasonsOf } from './report/outcome.js';

/** Adds the lines after a save and the tools for coding assistants to a version that `fwk dev` serves. */
export async function develop(serving: Serving): Promise<void> {
  const { project } = serving;
  addInspectorTool(project, proveTool(project.root));
  addInspectorTool(project, reachTool(serving));
  addInspectorTool(project, impactTool(serving));
  await watchPolicy(serving);
}

class PolicyWatch {
  current: Served | undefined;
  /** Made when it is first needed, after the project has started. */
  #news: PolicyNews | undefined;
  /** One check at a time, in the order of the saves. */
  #checking: Promise<unknown> = Promise.resolve();

  constructor(runtime: Runtime, root: string) {
    const impact = new ImpactLine(root);
    const onReload = (message: unknown): void => {
      const reload = message as Reload;
      impact.cancel();
      if (!reload.isServed) return;
      if (this.current) reload.notes.push(this.check(this.current));
      void impact.printAfter(reload.files);
    };
    subscribe('fwk.reload', onReload);
    runtime.onEnd(() => {
      impact.cancel();
      unsubscribe('fwk.reload', onReload);
      return this.#checking;
    });
  }

  /** Resolves with the lines about a version, after earlier versions have been checked. */
  check(served: Served): Promise<readonly string[]> {
    const lines = this.#checking.then(() => this.#linesAbout(served));
    this.#checking = lines;
    return lines;
  }

  async #linesAbout(served: Served): Promise<readonly string[]> {
    // The requests that waited for the save go first, and so does the line about the reload.
    await setImmediate();
    try {
      this.#news ??= new (await import('./prove/development.js')).PolicyNews();
      return await this.#news.about(served);
    } catch (thrown) {
      logSafely(served.project.logger, 'error', 'The policy could not be checked', thrown);
      return [];
    }
  }
}

async function watchPolicy({ runtime, project, routes, onStart, onClose }: Serving): Promise<void> {
  const watch = await runtime.getOrCreate('prove.watch', () => new PolicyWatch(runtime, project.root));
  onStart(() => {
    const isFirst = !watch.current;
    watch.current = { project, routes };
    // The first version is no reload, so nothing else prints its lines.
    if (isFirst)
      void watch.check(watch.current).then((lines) => {
        for (const line of lines) console.log(line);
      });
  });
  // The next version replaces this one earlier, unless the plugin is disabled there.
  onClose(() => {
    if (watch.current?.project === project) watch.current = undefined;
  });
}

/** The tool `impact` of `/_fwk/mcp`: the endpoints and tests that edits reach, in the version that is served. */
const impactTool = ({ project, routes }: Pick<Serving, 'project' | 'routes'>): InspectorTool => ({
  name: 'impact',
  title: 'Impact of a change',
  description:
    'Which routes, pages, sockets, tools, jobs and test files a change reaches, over imports and over ctx, with the files on the way. Without arguments: all changes that are not committed yet. Call it after an edit to choose requests and tests to run, and before an edit, with the file in `files`, to see which endpoints use it.',
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
    },
    additionalProperties: false,
  },
  isReadOnly: true,
  isAboutProject: true,
  async run({ since, files }) {
    const [{ findChanges }, { findImpact }] = await Promise.all([
      import('./impact/changes.js'),
      import('./impact/find-impact.js'),
    ]);
    const named = Array.isArray(files) ? files.filter((file) => typeof file === 'string') : [];
    const ref = typeof since === 'string' ? since : named.length === 0 ? 'HEAD' : undefined;
    const changes = await findChanges(project.root, { files: named, since: ref });
    return JSON.stringify(await findImpact({ project, routes }, { ...changes, since: ref }));
  },
});

/** The tool `reach` of `/_fwk/mcp`: the services, packages and variables that routes can touch, in the version that is served. */
const reachTool = ({ project, routes }: Pick<Serving, 'project' | 'routes'>): InspectorTool => ({
  name: 'reach',
  title: 'Reach of routes',
  description:
    'Lists the environment variables, packages, modules of Node, network access and templates that each route, socket, job and tool can reach in its own code, its middlewares and the values of ctx that it uses, and the places that cannot be followed. `excess` lists uses that .meta({ may: […] }) does not allow, with the path to each. Call it before you change a service, to see its users, and after you have written a route, to see everything it can do.',
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
    const { survey } = await import('./reach/survey.js');
    return JSON.stringify(await survey({ project, routes }, typeof route === 'string' ? route.trim() : ''));
  },
});

/** The tool for assistants: `fwk prove --json` in a process of its own, so that a guard that hangs or exits doesn't affect `fwk dev`. */
const proveTool = (root: string): InspectorTool => ({
  name: 'prove',
  title: 'Prove the policy',
  description:
    'Checks the project against its policy (policy.ts): which routes, sockets and tools lack a required middleware or scope, and which let in somebody who should be refused. Call it after you add or move a route, or edit a middleware. Each finding has the file, the problem and the fix. With static: true, it sends no requests and takes a second.',
  inputSchema: {
    type: 'object',
    properties: {
      static: { type: 'boolean', description: 'Check without requests' },
      proven: { type: 'boolean', description: 'List what holds, too' },
    },
    additionalProperties: false,
  },
  isReadOnly: true,
  isAboutProject: true,
  async run(input) {
    const flags = input.static === true ? ['--static'] : [];
    const { proven, ...report } = await reportOfCommand<Report>(root, ['prove', ...flags]);
    const exceptions = reasonsOf(proven);
    // The proofs of a large project are long.
    const rest =
      input.proven === true ? { proven } : { holding: proven.length - exceptions.length, exceptions };
    return JSON.stringify({ ...report, ...rest }, null, 2);
  },
});
