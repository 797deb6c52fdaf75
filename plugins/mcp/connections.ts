import { onDemand, type Project } from '../../kernel/index.js';
import { noteFailures } from './failure.js';
import type { Hub } from './hub.js';
import { openSdk } from './sdk.js';
import { Sessions } from './sessions.js';

/** As many files of the SDK Node 20 may read at once: its zod has one for each of 50 languages. */
const SDK_FILES = 128;

/** What stays of the endpoint while generations come and go. */
export class Connections {
  readonly sessions: Sessions;
  readonly #stopping = new AbortController();
  /** The SDK, loaded by the first request: a server that is only asked for pages starts without it. */
  readonly open: () => ReturnType<typeof open>;

  constructor(hub: Hub, idleSeconds: number, project: Project) {
    this.open = onDemand(() => open(hub, project), SDK_FILES);
    this.sessions = new Sessions(idleSeconds);
  }

  /** Aborts when the server stops. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** End what would never end by itself. What is being answered goes on. */
  hangUp(): void {
    this.sessions.hangUp();
    this.#stopping.abort();
  }
}

async function open(hub: Hub, project: Project) {
  const sdk = await openSdk(hub, noteFailures(project));
  return { sdk, answerStateless: sdk.stateless() };
}
