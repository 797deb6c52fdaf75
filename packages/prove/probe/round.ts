import { grouped } from '../policy/findings.js';
import { SAFE } from '../policy/targets.js';
import type { Identities } from './credentials.js';
import type { Guards } from './guards.js';
import { type Flags, type Inquiry, judge, type Verdict } from './inquiry.js';
import { initialize, MARK, memberCall, type ProbeRequest, toolList } from './requests.js';
import type { Letter, Sender } from './sender.js';
import { PLAIN, type Spelling, spellingsFor } from './spellings.js';

/** How many targets of a class get each spelling. */
const FULL_PER_CLASS = 2;

export class Round {
  #marks = 0;

  constructor(
    private readonly sender: Sender,
    private readonly flags: Flags,
    private readonly guards: Guards,
  ) {}

  /** Resolves when each inquiry has a verdict, or holds. `known`: how visitors are recognized. */
  async ask(inquiries: readonly Inquiry[], known: Identities): Promise<void> {
    const classes = grouped(inquiries, ({ classKey }) => classKey);
    const others = classes.flatMap(([, ...alike]) => alike);
    const firsts = classes.flatMap(([first]) => first ?? []);
    await this.askOnce(firsts, PLAIN);
    // A guard that hangs does so for everything behind it. The requests to the other targets aren't sent.
    for (const [first, ...alike] of classes)
      if (first?.verdict && first.status === undefined)
        for (const inquiry of alike) inquiry.verdict = first.verdict;
    await this.askOnce(others, PLAIN);
    await this.#lists(inquiries.filter(({ refuses, target }) => refuses && target.member?.kind === 'tool'));
    await this.sender.send(classes.flatMap((own) => this.#spelled(own, known)));
  }

  /** Send one request for each inquiry: the plain one, or the plain one under a setting of the environment. */
  async askOnce(inquiries: readonly Inquiry[], spelling: Spelling): Promise<void> {
    await this.sender.send(inquiries.map((inquiry) => this.#letter(inquiry, baseOf(inquiry), spelling)));
  }

  #spelled(inquiries: readonly Inquiry[], known: Identities): readonly Letter[] {
    const [first] = inquiries;
    if (!first?.refuses) return [];
    const read = this.guards.of(first.around);
    const selected = read.readsUrl ? inquiries : inquiries.slice(0, FULL_PER_CLASS);
    const spellings = spellingsFor(first, read, known);
    return selected.flatMap((inquiry, index) => {
      const base = baseOf(inquiry);
      const isFull = index < FULL_PER_CLASS;
      return spellings.flatMap((spelling) => {
        // A guard that reads the URL may treat each path differently, but not each header.
        if (!isFull && spelling.changes !== 'path' && spelling.changes !== 'method') return [];
        const request = spelling.apply(base);
        const isAsked = !inquiry.isOfMutations || !SAFE.has(request.method);
        return request !== base && isAsked ? this.#letter(inquiry, request, spelling) : [];
      });
    });
  }

  /** Look for tools in the lists of visitors whom they refuse. Another argument in a path may be allowed. */
  async #lists(tools: readonly Inquiry[]): Promise<void> {
    const refusing = tools.filter(({ verdict, toolPath }) => !verdict && !/[:*]/.test(toolPath ?? ''));
    const lists = grouped(refusing, ({ visitor }) => visitor).flatMap((own): Letter[] => {
      const [first] = own;
      if (!first) return [];
      const read = (body: string): void => {
        for (const inquiry of own)
          if (namesIn(body).has(inquiry.target.member?.name)) inquiry.verdict = listed(inquiry);
      };
      return [{ ...this.#letter(first, toolList(first.request), PLAIN), read, settle: () => {} }];
    });
    await this.sender.send(lists);
  }

  #letter(inquiry: Inquiry, request: ProbeRequest, spelling: Spelling): Letter {
    this.#marks += 1;
    const mark = String(this.#marks);
    return {
      request: { ...request, headers: { ...request.headers, [MARK]: mark } },
      isMoot: () => inquiry.verdict !== undefined,
      settle: (outcome) => {
        const verdict = judge({ inquiry, request, spelling, mark, outcome }, this.flags);
        // With another setting, an application may fail, such as during maintenance.
        if (spelling.changes !== 'environment' || verdict?.kind === 'open') inquiry.verdict ??= verdict;
        if (spelling === PLAIN && typeof outcome !== 'string') inquiry.status ??= outcome.status;
      },
    };
  }
}

/** The names of the tools in a response; none if it is no list. */
function namesIn(body: string): ReadonlySet<unknown> {
  try {
    return new Set(JSON.parse(body).result.tools.map(({ name }: { name: unknown }) => name));
  } catch {
    return new Set();
  }
}

const listed = ({ visitor }: Inquiry): Verdict => ({
  kind: 'listed',
  problem: `is in the list of tools of ${visitor.name}, whom it refuses`,
  fix: 'Throw error(401), error(403) or error(404) in the guard: other responses do not hide a tool.',
});

function baseOf({ isMember, isEndpoint, request, target, toolPath }: Inquiry): ProbeRequest {
  if (isMember) return memberCall(request, target, toolPath);
  return isEndpoint ? initialize(request) : request;
}
