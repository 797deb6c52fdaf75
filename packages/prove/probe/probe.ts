import { middlewaresOf } from 'fwkit/http';
import {
  type BaseRoute,
  BootError,
  type CommandRun,
  type Hooks,
  type Problem,
  type Project,
  type ProviderInfo,
  providersOf,
  type Served,
} from 'fwkit/plugin';
import type { Graph } from '../graph/graph.js';
import { readGraph } from '../graph/read-graph.js';
import { type Ask, grouped } from '../policy/findings.js';
import type { Visitor } from '../policy/rule.js';
import { SILENT } from '../report/command-output.js';
import { Flags, type Inquiry, inquiriesOf, raising, type Verdict } from './inquiry.js';
import { checkPages, Round } from './round.js';
import { Addresses, Sender } from './sender.js';
import { GuardTexts } from './spellings.js';

export interface ProbeOptions {
  /** The project, resolved, and its routes: those that rules were read for. */
  readonly project: Project;
  readonly routes: readonly BaseRoute[];
  /** Every route in every spelling. */
  readonly thorough?: boolean;
}

/** What a visitor got to. */
export interface Answer {
  /** What is wrong with that; undefined where it is as it should be. */
  readonly verdict: Verdict | undefined;
  /** The status of the answer to the plain request; undefined where there was none. */
  readonly status: number | undefined;
}

export interface ProbeResult {
  /** Of each question one. */
  readonly answers: ReadonlyMap<Ask, Answer>;
  /** How many were sent. */
  readonly requests: number;
}

/**
 * Ask a project that runs what its visitors get to, with a flag in place of each handler. Rejects with a BootError where it does not
 * boot that way.
 */
export async function probe(
  run: CommandRun,
  asks: readonly Ask[],
  { project, routes, thorough = false }: ProbeOptions,
): Promise<ProbeResult> {
  checkPages(new Set(asks.map(({ visitor }) => visitor)), project);
  const inquiries = inquiriesOf(asks, routes);
  const texts = new GuardTexts(project);
  const addresses = new Addresses();
  const unneeded = new Unneeded(project);
  let requests = 0;
  // Code that nobody waits for may throw, which would end the command.
  const observed = observeStrays();
  try {
    for (const group of groupsOf(inquiries)) {
      const ctx = group[0]?.visitor.ctx ?? {};
      let keys = await unneeded.keys(Object.keys(ctx));
      for (let isDone = false; !isDone; ) {
        const standIns = new StandIns(keys);
        const asked = askGroup({ run, project, texts, addresses, thorough }, group, {
          ...standIns.values,
          ...ctx,
        });
        requests += await asked.catch((thrown: unknown) => {
          if (standIns.used.size === 0) throw thrown;
          return 0;
        });
        // What somebody asks for is made, and all is asked again.
        isDone = standIns.used.size === 0;
        keys = keys.filter((key) => !standIns.used.has(key));
        if (!isDone) for (const inquiry of group) inquiry.reset();
      }
    }
  } finally {
    observed();
  }
  return { answers: new Map(inquiries.flatMap(answersOf)), requests };
}

interface Asking {
  readonly run: CommandRun;
  readonly project: Project;
  readonly texts: GuardTexts;
  readonly addresses: Addresses;
  readonly thorough: boolean;
}

/** Ask one server. Resolves with the number of requests. */
async function askGroup(
  { run, project, texts, addresses, thorough }: Asking,
  group: readonly Inquiry[],
  overrides: object,
): Promise<number> {
  const flags = new Flags();
  const apply = raising(
    flags,
    group.some(({ isMember }) => isMember),
  );
  const served = await serveTo(run, apply, overrides, project);
  const sender = new Sender(Number(new URL(served.url).port), addresses);
  try {
    await withoutStacks(() => new Round(sender, flags, texts, thorough).ask(group));
  } finally {
    await served.close().catch(() => {});
  }
  return sender.sent;
}

/** Visitors without a `ctx` of their own are told apart by what they send: one server is enough for them. */
function groupsOf(inquiries: readonly Inquiry[]): readonly (readonly Inquiry[])[] {
  const plain = {};
  const keyOf = ({ ctx }: Visitor): object => (Object.keys(ctx).length === 0 ? plain : ctx);
  return grouped(inquiries, ({ visitor }) => keyOf(visitor));
}

const answersOf = ({ asks, verdict, status }: Inquiry): [Ask, Answer][] =>
  asks.map((ask) => [ask, { verdict, status }]);

/** Refusals are thrown, ten thousand times, and nobody reads where. */
async function withoutStacks(work: () => Promise<void>): Promise<void> {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    await work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

const STRAYS = ['unhandledRejection', 'uncaughtException'] as const;

/** Returns a function that ends it. */
function observeStrays(): () => void {
  const pass = (): void => {};
  for (const event of STRAYS) process.on(event, pass);
  return () => {
    for (const event of STRAYS) process.off(event, pass);
  };
}

/**
 * Serve the project, as `apply` changes it, with `overrides` in `ctx`. Rejects with a BootError that says what to do about it.
 */
async function serveTo(
  run: CommandRun,
  apply: (hooks: Hooks) => void,
  overrides: object,
  project: Project,
): Promise<Served> {
  try {
    return await run.serve({ apply, overrides, logger: SILENT });
  } catch (thrown) {
    if (!(thrown instanceof BootError)) throw thrown;
    throw new BootError(thrown.problems.map((problem) => advised(problem, project)));
  }
}

/** What fails to start need not be started. */
function advised(problem: Problem, project: Project): Problem {
  const provider = providersOf(project).find(({ file }) => problem.file?.startsWith(project.display(file)));
  if (!provider) return problem;
  const message = `${problem.message.replace(/[^.!?]$/, '$&.')} A middleware asks for it, so the probe starts it. To do without, have visitors bring it: visitor('…', { ctx: { ${provider.key}: … } }).`;
  return { ...problem, message };
}

/** `mcp/auth`, which knows who calls. */
const AUTH = /^mcp\/auth\.m?[jt]s$/;
/** The framework writes to it. */
const LOGGER = 'logger';

/** Which services nothing in front of a handler asks for, so that they need not be made. */
class Unneeded {
  readonly #project: Project;

  constructor(project: Project) {
    this.#project = project;
  }

  /** Keys of singletons that nothing reaches where the values of `given` are there already. */
  async keys(given: readonly string[]): Promise<readonly string[]> {
    const made = providersOf(this.#project).filter(({ key }) => !given.includes(key));
    const own = made.filter(({ file }) => !file.startsWith('plugin "'));
    const candidates = own.filter(({ key, lifetime }) => lifetime === 'singleton' && key !== LOGGER);
    if (candidates.length === 0) return [];
    const roots = this.#roots();
    const graph = await this.#graph(roots, made);
    const { touched } = graph.reach(roots);
    return candidates.map(({ key }) => key).filter((key) => !touched.has(key));
  }

  /** The files whose code runs in front of handlers. */
  #roots(): readonly string[] {
    const auth = this.#project.files('mcp').filter(({ file }) => AUTH.test(file));
    return [...middlewaresOf(this.#project), ...auth].map(({ file }) => file);
  }

  #graph(roots: readonly string[], providers: readonly ProviderInfo[]): Promise<Graph> {
    const { root, source, entries } = this.#project;
    const files = providers.map(({ file }) => file).filter((file) => !file.startsWith('plugin "'));
    return readGraph(
      {
        root,
        source,
        entries,
        providers,
        resolveImport: (...asked) => this.#project.resolveImport(...asked),
      },
      { files: [...roots, ...files] },
    );
  }
}

/** What anybody reads of any value, to know what it is. */
const HARMLESS: ReadonlySet<string | symbol> = new Set(['then', 'toJSON', 'constructor']);

/** Values for services that nobody is expected to ask for. Whether somebody does is noted. */
class StandIns {
  /** Keys of which something was read. */
  readonly used = new Set<string>();
  readonly values: Readonly<Record<string, unknown>>;

  constructor(keys: readonly string[]) {
    this.values = Object.fromEntries(keys.map((key) => [key, this.#make(key)]));
  }

  #make(key: string): unknown {
    const note = (): undefined => void this.used.add(key);
    // A function, since services may be functions.
    return new Proxy(() => {}, {
      get: (target, name) =>
        typeof name === 'symbol' || HARMLESS.has(name) ? Reflect.get(target, name) : note(),
      has: () => note() ?? false,
      set: () => note() ?? false,
      apply: note,
      construct: () => note() ?? {},
    });
  }
}
