import { METADATA, METADATA_ADVICE } from '../policy/targets.js';
import type { Flags, Inquiry, ProbeRequest, Verdict } from './inquiry.js';
import { isAccepted } from './mcp-messages.js';
import type { Outcome } from './sender.js';
import { PLAIN, type Spelling } from './spellings.js';

/** What became of one request. */
export interface Reply {
  readonly inquiry: Inquiry;
  readonly spelling: Spelling;
  readonly request: ProbeRequest;
  readonly mark: string;
  readonly outcome: Outcome;
}

/** What a reply says against the rule; undefined where it says nothing. */
export function judge(reply: Reply, flags: Flags): Verdict | undefined {
  return reply.inquiry.refuses ? judgeRefusal(reply, flags) : judgeAdmission(reply, flags);
}

/** Whether a request got as far as the handler of its target. */
function isIn({ inquiry, spelling, request, mark, outcome }: Reply, flags: Flags): boolean {
  const isReached = flags.has(mark, inquiry.keys);
  if (!inquiry.isEndpoint || !isReached) return isReached;
  // Its handler refuses of its own, and answers what nobody would take for a client.
  if (typeof outcome === 'string' || outcome.status >= 300 || request.method === 'OPTIONS') return false;
  return spelling.changes !== 'path' || isAccepted(outcome.head);
}

function judgeRefusal(reply: Reply, flags: Flags): Verdict | undefined {
  const { inquiry, spelling, request, mark, outcome } = reply;
  const { visitor, target } = inquiry;
  const spelled = spelling === PLAIN ? {} : { spelling: described(spelling, request) };
  const by = spelling === PLAIN ? '' : `, by ${spelling.name}`;
  const answers = target.witness === undefined ? '' : `answers ${target.witness}, and `;
  if (isIn(reply, flags))
    return {
      kind: 'open',
      problem: `${answers}lets ${visitor.name} in${by}`,
      fix: wayToClose(inquiry),
      ...spelled,
    };
  if (outcome === 'silent')
    return {
      kind: 'failed',
      problem: `${answers}gives ${visitor.name} no answer within 3 s${by}`,
      fix: 'A guard waits for what does not come. Have it refuse, or go on.',
      ...spelled,
    };
  if (outcome === 'closed')
    return {
      kind: 'failed',
      problem: `${answers}ends the connection of ${visitor.name} without an answer${by}`,
      fix: 'Throw error(401) or error(403) in place of that.',
      ...spelled,
    };
  const { status } = outcome;
  if (status === 429)
    return {
      kind: 'failed',
      problem: `${answers}answers ${visitor.name} with 429${by}, which tells nothing of a guard`,
      fix: 'A limit counts all visitors as one. Count by address, or allow more where NODE_ENV is not production.',
      ...spelled,
    };
  if (status >= 500)
    return {
      kind: 'failed',
      problem: `${answers}fails with ${status} for ${visitor.name}${by}: that is no refusal`,
      fix: 'Throw error(401) or error(403), before what fails there.',
      ...spelled,
    };
  const isOwn = spelling.changes === 'header' || spelling.changes === 'query' || request.method === 'HEAD';
  // A tool that is a route is refused in the result of the call.
  const isAnswer = status < 300 && isOwn && inquiry.toolPath === undefined && !flags.has(mark);
  if (!isAnswer) return undefined;
  return {
    kind: 'answered',
    problem: `${answers}answers ${visitor.name} with ${status} before its handler${by}`,
    fix: 'A layer answers in place of the guard, as a cache does. Put the guard outside of it.',
    ...spelled,
  };
}

function judgeAdmission(reply: Reply, flags: Flags): Verdict | undefined {
  const { inquiry, outcome } = reply;
  if (isIn(reply, flags)) return undefined;
  const { name } = inquiry.visitor;
  // A cache may answer. What answers with nothing has lost what the handler gives.
  const isAnswered = typeof outcome !== 'string' && outcome.status < 300 && outcome.status !== 204;
  if (isAnswered && !inquiry.isMember) return undefined;
  const how = typeof outcome === 'string' ? 'no answer' : String(outcome.status);
  return {
    kind: 'vacuous',
    problem: `does not let ${name} in (${how}), whom it should admit`,
    fix: 'Correct the guard; or the visitor, so that it is who the guard lets in.',
  };
}

/** A spelling as people can send it again. */
const described = ({ name, changes }: Spelling, { method, target }: ProbeRequest): string =>
  changes === 'header' ? name : `${name}: ${method} ${target}`;

const MOVE = 'Put its file where a guard is around it, or fix the guard';
const EXCEPT = 'only if everybody may, except it in the policy with a reason';

/** What to do about a target that lets somebody in: to guard it is what is nearly always meant. */
function wayToClose({ target, auth, isEndpoint, isMember, toolPath }: Inquiry): string {
  const { chain, kind, member } = target;
  if (kind === METADATA) return METADATA_ADVICE;
  const isOfMcp = isEndpoint || (isMember && toolPath === undefined);
  const around = isOfMcp && auth !== undefined ? [...chain, auth] : chain;
  const now =
    around.length === 0 ? 'Nothing is around it.' : `Nothing in ${around.join(' → ')} refuses that.`;
  if (!isOfMcp)
    return isMember
      ? `${now} ${MOVE}; ${EXCEPT}.`
      : `${now} ${MOVE}; only if everybody may, say so: .meta({ public: 'why' }) on the route, or an exception with a reason in the policy.`;
  if (auth === undefined) return `${now} Add mcp/auth or mcp/_middleware; ${EXCEPT}.`;
  const scopes = member?.kind === 'tool' ? ', and give the tool the scopes that it needs' : '';
  return `${now} Have verify of ${auth} return null for whom it does not know${scopes}; ${EXCEPT}.`;
}
