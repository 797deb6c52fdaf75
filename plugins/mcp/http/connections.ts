import { onDemand, type Project } from '../../../kernel/index.js';
import type { HttpRequest } from '../../http/index.js';
import { logFailures } from '../calls/failure.js';
import type { Identity } from '../definitions/call.js';
import type { Hub } from '../hub.js';
import { ByteBudget } from '../sdk/byte-budget.js';
import { openSdk } from '../sdk/server.js';
import type { HttpSession } from './session.js';
import { type SessionLimits, Sessions } from './sessions.js';

export interface ConnectionLimits extends SessionLimits {
  /** Bytes of messages that are being received or answered, of all clients together. */
  readonly pendingLimit: number;
}

/** As many files of the SDK Node 20 may read at once: its zod has one for each of 50 languages. */
const SDK_DESCRIPTORS = 128;

/** The part of the endpoint that outlives versions. */
export class Connections {
  readonly sessions: Sessions;
  readonly limits: ConnectionLimits;
  /** For messages that are being received or answered. */
  readonly pending: ByteBudget;
  /** The SDK, loaded by the first request: a server that is only asked for pages starts without it. */
  readonly open: () => ReturnType<typeof open>;

  constructor(
    readonly hub: Hub,
    limits: ConnectionLimits,
    project: Project,
  ) {
    this.limits = limits;
    this.pending = new ByteBudget(limits.pendingLimit);
    this.open = onDemand(() => open(hub, project), SDK_DESCRIPTORS);
    this.sessions = new Sessions(limits, project.clock);
  }

  /** The session that a request says it belongs to, if it is that client's. */
  sessionOf(req: HttpRequest, identity: Identity | undefined): HttpSession | undefined {
    const id = req.header('mcp-session-id');
    return id === undefined ? undefined : this.sessions.find(id, identity?.subject);
  }

  /** Aborts when the server stops. */
  get stopping(): AbortSignal {
    return this.hub.stopping;
  }

  /** End what would never end by itself. Requests are still answered. */
  hangUp(): void {
    this.hub.stop();
    this.sessions.hangUp();
  }
}

async function open(hub: Hub, project: Project) {
  const sdk = await openSdk(hub, logFailures(project));
  return { sdk, answerStateless: sdk.stateless() };
}
