import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { RequestFailure } from 'fwkit/http';
import type { BaseRoute, CommandRun, Project } from 'fwkit/plugin';
import { type Ask, grouped, type Report } from '../policy/findings.js';
import { type Identities, identitiesOf } from './credentials.js';
import { Guards } from './guards.js';
import { Flags, type Inquiry, inquiriesOf, raising } from './inquiry.js';
import { MARK } from './requests.js';
import { Round } from './round.js';
import { Addresses, Sender } from './sender.js';
import { MODE, type Spelling, settingsOf, underSetting } from './spellings.js';

export type ProbeOptions = { readonly project: Project; readonly routes: readonly BaseRoute[] };

/** Ask the running project whether visitors get in, with a flag in place of each handler. Rejects with a BootError if it does not boot. */
export async function probe(
  run: CommandRun,
  asks: readonly Ask[],
  { project, routes }: ProbeOptions,
): Promise<Pick<Report, 'requests' | 'environment'> & { readonly answers: ReadonlyMap<Ask, Inquiry> }> {
  const inquiries = inquiriesOf(asks, routes);
  const guards = await Guards.read(project);
  const asking = {
    run,
    guards,
    addresses: new Addresses(),
    known: identitiesOf([...new Set(asks.map(({ visitor }) => visitor))]),
  };
  const readers = (names: readonly string[]): readonly Inquiry[] =>
    inquiries.filter(
      ({ refuses, verdict, around }) =>
        refuses && !verdict && guards.of(around).env.some((name) => names.includes(name)),
    );
  // Code that nobody awaits may throw, which would end the command.
  const ignore = (): void => {};
  process.on('unhandledRejection', ignore).on('uncaughtException', ignore);
  try {
    let requests = await askAll(asking, inquiries);
    if (process.env[MODE] !== PRODUCTION)
      requests += await withVariables({ [MODE]: PRODUCTION }, () => askAll(asking, readers([MODE, '*'])));
    for (const setting of settingsOf(guards.textsNearVariables)) {
      const affected = readers(Object.keys(setting));
      const asked = { ...asking, spelling: underSetting(setting) };
      requests += await withVariables(setting, () => askAll(asked, affected)).catch(() => 0);
    }
    const answers = inquiries.flatMap((one) => one.asks.map((ask) => [ask, one] as const));
    return { answers: new Map(answers), requests, environment: guards.environment };
  } finally {
    process.off('unhandledRejection', ignore).off('uncaughtException', ignore);
  }
}

const PRODUCTION = 'production';

async function withVariables<T>(values: Record<string, string>, act: () => Promise<T>): Promise<T> {
  const before = Object.keys(values).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, values);
  try {
    return await act();
  } finally {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  }
}

/** Resolves with the number of requests when each inquiry has its verdict, or holds. */
async function askAll(asking: Asking, inquiries: readonly Inquiry[]): Promise<number> {
  let requests = 0;
  for (const group of groupsOf(inquiries)) {
    const ctx = group[0]?.visitor.ctx ?? {};
    const standIns = new StandIns(asking.guards.unneeded(Object.keys(ctx)));
    try {
      requests += await askGroup(asking, group, { ...standIns.values, ...ctx });
    } catch (thrown) {
      if (!standIns.isUsed) throw thrown;
    }
    if (!standIns.isUsed) continue;
    // All services are made, and all requests are sent again.
    for (const inquiry of group) {
      inquiry.verdict = undefined;
      if (!asking.spelling) inquiry.status = undefined;
    }
    requests += await askGroup(asking, group, ctx);
  }
  return requests;
}

interface Asking {
  readonly run: CommandRun;
  readonly guards: Guards;
  readonly addresses: Addresses;
  readonly known: Identities;
  /** The only spelling to send; all of them if it is absent. */
  readonly spelling?: Spelling;
}

async function askGroup(
  { run, guards, addresses, known, spelling }: Asking,
  group: readonly Inquiry[],
  overrides: object,
): Promise<number> {
  const flags = new Flags();
  const hasMembers = group.some(({ isMember }) => isMember);
  const served = await run.serve({ apply: raising(flags, hasMembers), overrides });
  const sender = new Sender(Number(new URL(served.url).port), addresses);
  const note = (message: unknown): void => {
    const { error, raw } = message as RequestFailure;
    flags.failures.set(String(raw.headers[MARK]), error);
  };
  subscribe('fwk.request.error', note);
  // Refusals are thrown ten thousand times, and nobody reads their stack traces.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    const round = new Round(sender, flags, guards);
    await (spelling ? round.askOnce(group, spelling) : round.ask(group, known));
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    unsubscribe('fwk.request.error', note);
    await served.close().catch(() => {});
  }
  return sender.sent;
}

/** Visitors without a `ctx` differ only in their requests, so they share a server. */
function groupsOf(inquiries: readonly Inquiry[]): readonly (readonly Inquiry[])[] {
  const plain = {};
  return grouped(inquiries, ({ visitor: { ctx } }) => (Object.keys(ctx).length === 0 ? plain : ctx));
}

const HARMLESS: ReadonlySet<string | symbol> = new Set(['then', 'toJSON', 'constructor']);

/** Values for services that no guard is expected to use. */
class StandIns {
  isUsed = false;
  readonly values: Readonly<Record<string, unknown>>;

  constructor(keys: readonly string[]) {
    const use = (): undefined => {
      this.isUsed = true;
    };
    // A function, since services may be functions.
    const value = new Proxy(() => {}, {
      get: (target, name) =>
        typeof name === 'symbol' || HARMLESS.has(name) ? Reflect.get(target, name) : use(),
      has: () => use() ?? false,
      set: () => use() ?? false,
      apply: use,
      construct: () => use() ?? {},
    });
    this.values = Object.fromEntries(keys.map((key) => [key, value]));
  }
}
