import { BootError, type Project, providersOf } from 'fwkit/plugin';
import { grouped } from '../policy/findings.js';
import { MISTAKE, type Visitor } from '../policy/rule.js';
import { bytesOf, type Flags, type Inquiry, type ProbeRequest } from './inquiry.js';
import { judge, type Reply } from './judge.js';
import { callInSession, initialize, sessionIn, statelessCall } from './mcp-messages.js';
import type { Letter, Sender } from './sender.js';
import {
  EACH_METHOD,
  type GuardTexts,
  looksAtDestination,
  mentionedSpellings,
  PLAIN,
  SPELLINGS,
  type Spelling,
} from './spellings.js';

/** The headers by which a browser says which page a request comes from. */
const OF_PAGES = ['origin', 'referer', 'sec-fetch-site'];

/** Whether a visitor is a page in somebody's browser. */
const isPage = ({ headers }: Visitor): boolean => OF_PAGES.some((name) => name in headers);

/**
 * Throws a BootError for a page that brings all that sessions hold: a project without session values has no session, and nothing that
 * guards it against requests of other sites.
 */
export function checkPages(visitors: Iterable<Visitor>, project: Project): void {
  const keys = providersOf(project)
    .filter(({ lifetime }) => lifetime === 'session')
    .map(({ key }) => key);
  if (keys.length === 0) return;
  for (const visitor of visitors)
    if (isPage(visitor) && keys.every((key) => key in visitor.ctx))
      throw new BootError({
        message: `visitor(${JSON.stringify(visitor.name)}) is a page, and has ctx.${keys.join(' and ctx.')}, without which there is no session that requests of other sites could use. Let it have what is made of that instead.`,
        code: MISTAKE,
      });
}

/** Methods that change nothing (RFC 9110 §9.2.1). */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** How many targets of a class are asked in each spelling. */
const FULL_PER_CLASS = 2;

/** All inquiries that one server can answer. */
export class Round {
  readonly #sender: Sender;
  readonly #flags: Flags;
  readonly #texts: GuardTexts;
  readonly #isThorough: boolean;
  #marks = 0;

  constructor(sender: Sender, flags: Flags, texts: GuardTexts, isThorough: boolean) {
    this.#sender = sender;
    this.#flags = flags;
    this.#texts = texts;
    this.#isThorough = isThorough;
  }

  /** Resolves when each inquiry has its verdict, or holds. */
  async ask(inquiries: readonly Inquiry[]): Promise<void> {
    const classes = grouped(inquiries, ({ classKey }) => classKey);
    const firsts = classes.flatMap(([first]) => first ?? []);
    await this.#plain(firsts);
    for (const [first, ...others] of classes) if (first) inheritSilence(first, others);
    await this.#plain(classes.flatMap(([, ...others]) => others));
    await this.#sessions(inquiries.filter(({ isMember }) => isMember));
    await this.#spelled(classes);
  }

  async #plain(inquiries: readonly Inquiry[]): Promise<void> {
    await this.#sender.send(inquiries.map((inquiry) => this.#letter(inquiry, baseOf(inquiry), PLAIN)));
  }

  async #spelled(classes: readonly (readonly Inquiry[])[]): Promise<void> {
    const letters: Letter[] = [];
    for (const inquiries of classes) {
      const [first] = inquiries;
      if (!first?.refuses) continue;
      const text = await this.#texts.of(first.target.chain);
      const isFull = this.#isThorough || looksAtDestination(text);
      const asked = isFull ? inquiries : inquiries.slice(0, FULL_PER_CLASS);
      const mentioned = mentionedSpellings(text);
      for (const inquiry of asked) {
        const base = baseOf(inquiry);
        for (const spelling of spellingsFor(inquiry, mentioned)) {
          const request = spelling.apply(base);
          const isAsked = !inquiry.isOfMutations || !SAFE.has(request.method);
          if (request !== base && isAsked) letters.push(this.#letter(inquiry, request, spelling));
        }
      }
    }
    await this.#sender.send(letters);
  }

  /** Members, called by the protocol with sessions, too. */
  async #sessions(members: readonly Inquiry[]): Promise<void> {
    const calls: Letter[] = [];
    const begin = (inquiry: Inquiry): Letter => ({
      ...this.#letter(inquiry, initialize(inquiry.request), PLAIN),
      settle: (outcome) => {
        if (typeof outcome === 'string' || outcome.status >= 300) return;
        const { request, target, toolPath } = inquiry;
        const call = callInSession(request, target, toolPath, sessionIn(outcome.head));
        calls.push(this.#letter(inquiry, call, PLAIN));
      },
    });
    await this.#sender.send(members.map(begin));
    await this.#sender.send(calls);
  }

  #letter(inquiry: Inquiry, request: ProbeRequest, spelling: Spelling): Letter {
    this.#marks += 1;
    const mark = String(this.#marks);
    return letterOf({ inquiry, request, spelling, mark }, (reply) => this.#note(reply));
  }

  #note(reply: Reply): void {
    const { inquiry, outcome, spelling } = reply;
    inquiry.verdict ??= judge(reply, this.#flags);
    if (spelling === PLAIN && typeof outcome !== 'string') inquiry.status ??= outcome.status;
  }
}

/** A guard that waits for ever does so for all that it guards: nobody waits for each of them. */
function inheritSilence({ verdict, status }: Inquiry, others: readonly Inquiry[]): void {
  if (status !== undefined || !verdict) return;
  for (const inquiry of others) inquiry.verdict = verdict;
}

/** What a page in a browser cannot say of itself: the browser does (Fetch §2.2.2). */
const OF_BROWSERS: ReadonlySet<string> = new Set(['host', 'origin', 'referer', 'sec-fetch-site']);

/** The request of an inquiry, before it is spelled. */
function baseOf({ isMember, isEndpoint, request, target, toolPath }: Inquiry): ProbeRequest {
  if (isMember) return statelessCall(request, target, toolPath);
  return isEndpoint ? initialize(request) : request;
}

/** The ways in which an inquiry is spelled. What makes the visitor who they are stays. */
function spellingsFor({ visitor, target }: Inquiry, mentioned: readonly Spelling[]): readonly Spelling[] {
  const isFixedByBrowser = isPage(visitor);
  const isFixed = ({ header }: Spelling): boolean =>
    header !== undefined && (header in visitor.headers || (isFixedByBrowser && OF_BROWSERS.has(header)));
  const methods = target.method === 'ALL' && target.kind !== 'mcp' && !target.member ? EACH_METHOD : [];
  return [...SPELLINGS, ...methods, ...mentioned].filter((spelling) => !isFixed(spelling));
}

/** A request that is ready to be sent. `tell` is called with what became of it. */
function letterOf(
  { inquiry, request, spelling, mark }: Omit<Reply, 'outcome'>,
  tell: (reply: Reply) => void,
): Letter {
  return {
    bytes: bytesOf(request, mark),
    hasNoBody: request.method === 'HEAD',
    // The answer to a handshake ends the connection.
    isAlone: inquiry.target.kind === 'ws' || spelling.isAlone === true,
    isMoot: () => inquiry.verdict !== undefined,
    settle: (outcome) => tell({ inquiry, request, spelling, mark, outcome }),
  };
}
