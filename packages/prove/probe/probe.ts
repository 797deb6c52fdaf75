import type { BaseRoute, CommandRun, Project } from 'fwkit/plugin';
import { grouped } from '../grouped.js';
import type { Visitor } from '../policy/visitor.js';
import type { Ask } from '../prove/findings.js';
import { serveTo } from './boot.js';
import { Flags, raising } from './flags.js';
import { GuardTexts } from './guard-texts.js';
import { type Inquiry, inquiriesOf, type Verdict } from './inquiry.js';
import { Round } from './round.js';
import { Addresses, Sender } from './sender.js';
import { StandIns } from './stand-ins.js';
import { Unneeded } from './unneeded.js';
import { checkPages } from './visitors.js';

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
