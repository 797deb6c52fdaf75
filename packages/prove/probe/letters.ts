import type { Inquiry } from './inquiry.js';
import type { Reply } from './judge.js';
import { initialize, statelessCall } from './mcp-messages.js';
import { bytesOf, type ProbeRequest } from './request.js';
import type { Letter } from './sender.js';
import { EACH_METHOD, SPELLINGS, type Spelling } from './spellings.js';
import { isPage } from './visitors.js';

/** What a page in a browser cannot say of itself: the browser does (Fetch §2.2.2). */
const OF_BROWSERS: ReadonlySet<string> = new Set(['host', 'origin', 'referer', 'sec-fetch-site']);

/** The request of an inquiry, before it is spelled. */
export function baseOf({ isMember, isEndpoint, request, target, toolPath }: Inquiry): ProbeRequest {
  if (isMember) return statelessCall(request, target, toolPath);
  return isEndpoint ? initialize(request) : request;
}

/** The ways in which an inquiry is spelled. What makes the visitor who they are stays. */
export function spellingsFor(
  { visitor, target }: Inquiry,
  mentioned: readonly Spelling[],
): readonly Spelling[] {
  const isFixedByBrowser = isPage(visitor);
  const isFixed = ({ header }: Spelling): boolean =>
    header !== undefined && (header in visitor.headers || (isFixedByBrowser && OF_BROWSERS.has(header)));
  const methods = target.method === 'ALL' && target.kind !== 'mcp' && !target.member ? EACH_METHOD : [];
  return [...SPELLINGS, ...methods, ...mentioned].filter((spelling) => !isFixed(spelling));
}

/** A request that is ready to be sent. `tell` is called with what became of it. */
export function letterOf(
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
