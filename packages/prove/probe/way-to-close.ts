import { METADATA, METADATA_ADVICE } from '../prove/metadata.js';
import type { Inquiry } from './inquiry.js';

const MOVE = 'Put its file where a guard is around it, or fix the guard';
const EXCEPT = 'only if everybody may, except it in the policy with a reason';

/** What to do about a target that lets somebody in: to guard it is what is nearly always meant. */
export function wayToClose({ target, auth, isEndpoint, isMember, toolPath }: Inquiry): string {
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
