import { grouped } from '../grouped.js';
import type { Flags } from './flags.js';
import { type GuardTexts, looksAtDestination, mentionedSpellings } from './guard-texts.js';
import type { Inquiry } from './inquiry.js';
import { judge, type Reply } from './judge.js';
import { baseOf, letterOf, spellingsFor } from './letters.js';
import { callInSession, initialize, sessionIn } from './mcp-messages.js';
import type { ProbeRequest } from './request.js';
import type { Letter, Sender } from './sender.js';
import { PLAIN, type Spelling } from './spellings.js';

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
