import { messageOf } from 'fwkit/plugin';
import type { Flags, Inquiry, Verdict } from './inquiry.js';
import type { ProbeRequest } from './requests.js';
import type { Outcome } from './sender.js';
import { PLAIN, type Spelling } from './spellings.js';

export interface Reply {
  readonly inquiry: Inquiry;
  readonly spelling: Spelling;
  readonly request: ProbeRequest;
  readonly mark: string;
  readonly outcome: Outcome;
}

export const judge = (reply: Reply, flags: Flags): Verdict | undefined =>
  reply.inquiry.refuses ? judgeRefusal(reply, flags) : judgeAdmission(reply, flags);

function isIn({ inquiry, spelling, request, mark, outcome }: Reply, flags: Flags): boolean {
  const isReached = flags.has(mark, inquiry.keys);
  if (!inquiry.isEndpoint || !isReached) return isReached;
  // The handler of /mcp refuses clients itself, and also answers requests that aren't from MCP clients.
  if (typeof outcome === 'string' || outcome.status >= 300 || request.method === 'OPTIONS') return false;
  const { 'content-type': type = '', 'mcp-session-id': session } = outcome.headers;
  return (
    spelling.changes !== 'path' ||
    session !== undefined ||
    /^(?:text\/event-stream|application\/json)/.test(type)
  );
}

function judgeRefusal(reply: Reply, flags: Flags): Verdict | undefined {
  const { inquiry, spelling, request } = reply;
  const found = problemOf(reply, flags);
  if (!found) return undefined;
  const { witness } = inquiry.target;
  const [kind, problem, fix] = found;
  const text = `${witness === undefined ? '' : `answers ${witness}, and `}${problem}`;
  if (spelling === PLAIN) return { kind, problem: text, fix };
  const isShown = spelling.changes !== 'header' && spelling.changes !== 'environment';
  const shown = isShown ? `: ${request.method} ${request.target}` : '';
  return { kind, problem: `${text}, by ${spelling.name}`, fix, spelling: spelling.name + shown };
}

type Found = readonly [kind: Verdict['kind'], problem: string, fix: string];

function problemOf(reply: Reply, flags: Flags): Found | undefined {
  const { mark, outcome, inquiry, spelling, request } = reply;
  const { name } = inquiry.visitor;
  if (isIn(reply, flags)) return ['open', `lets ${name} in`, wayToClose(inquiry)];
  if (outcome === 'silent')
    return ['failed', `gives ${name} no answer within 3 s`, 'Have the guard refuse, or call next().'];
  if (outcome === 'closed') return ['failed', `closes the connection of ${name} without an answer`, REFUSE];
  const { status } = outcome;
  if (status === 429)
    return [
      'failed',
      `answers ${name} with 429, which doesn't show that a guard refuses`,
      'Count requests by address, or allow more of them if NODE_ENV is not production.',
    ];
  if (status >= 500) {
    const failure = flags.failures.get(mark);
    const why = failure === undefined ? '' : ` (${messageOf(failure)})`;
    return ['failed', `fails with ${status} for ${name}${why}, which is not a refusal`, REFUSE];
  }
  // Another path or method may be another route. An empty response gives nothing away.
  const isOwn = spelling.changes === 'header' || spelling.changes === 'query' || request.method === 'HEAD';
  // The result of the call contains the refusal of a tool that is a route.
  const isAnswer = status < 300 && status !== 204 && isOwn && inquiry.toolPath === undefined;
  if (!isAnswer || flags.has(mark)) return undefined;
  const fix = 'Another layer answers before the guard, such as a cache. Move the guard outside of it.';
  return ['answered', `answers ${name} with ${status} before its handler`, fix];
}

const REFUSE = 'Throw error(401) or error(403) in the guard instead.';

function judgeAdmission(reply: Reply, flags: Flags): Verdict | undefined {
  const { inquiry, outcome } = reply;
  if (isIn(reply, flags)) return undefined;
  // A cache may answer. An empty response has lost the result of the handler.
  const isAnswered = typeof outcome !== 'string' && outcome.status < 300 && outcome.status !== 204;
  if (isAnswered && !inquiry.isMember) return undefined;
  const how = typeof outcome === 'string' ? 'no answer' : String(outcome.status);
  return {
    kind: 'vacuous',
    problem: `does not let ${inquiry.visitor.name} in (${how})`,
    fix: 'Correct the guard, or correct the visitor so that the guard recognizes it.',
  };
}

const MOVE = 'Move its file to where a guard runs before it, or fix the guard';

/** How to close a target that lets somebody in. Nearly always, the fix is to guard it. */
function wayToClose({ target, auth, around, isEndpoint, isMember, toolPath }: Inquiry): string {
  const { member } = target;
  const isOfMcp = isEndpoint || (isMember && toolPath === undefined);
  const now =
    around.length === 0 ? 'No middleware runs before it.' : `Nothing in ${around.join(' → ')} refuses this.`;
  const except = 'If everybody may call it, except it in the policy with a reason.';
  if (!isOfMcp) {
    const meta = "If everybody may call it, add .meta({ public: 'why' }), or except it in the policy.";
    return `${now} ${MOVE}. ${isMember ? except : meta}`;
  }
  if (auth === undefined) return `${now} Add mcp/auth or mcp/_middleware. ${except}`;
  const scopes = member?.kind === 'tool' ? ', and give the tool the scopes that it needs' : '';
  return `${now} Return null from verify of ${auth} for unknown clients${scopes}. ${except}`;
}
