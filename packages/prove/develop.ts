import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setImmediate } from 'node:timers/promises';
import type { Reload } from 'fwkit';
import { addInspectorTool, type InspectorTool } from 'fwkit/mcp';
import type { Runtime, Serving } from 'fwkit/plugin';
import type { Report } from './policy/findings.js';
import type { PolicyNews, Served } from './prove/development.js';
import { ImpactLine } from './prove/impact-line.js';
import { reportOfCommand } from './prove/report-of-command.js';
import { reasonsOf } from './report/outcome.js';

/** Adds the lines after a save and the tools for coding assistants to a version that `fwk dev` serves. */
export async function develop(serving: Serving): Promise<void> {
  const { runtime, project, routes, onStart, onClose } = serving;
  for (const tool of [PROVE, REACH, IMPACT]) addInspectorTool(project, toolOf(tool, project.root));
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
    const lines = this.#checking.then(async () => {
      // The requests that waited for the save go first, and so does the line about the reload.
      await setImmediate();
      this.#news ??= new (await import('./prove/development.js')).PolicyNews();
      return this.#news.about(served);
    });
    this.#checking = lines;
    return lines;
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
