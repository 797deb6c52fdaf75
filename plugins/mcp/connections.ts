import type { Project } from '../../kernel/index.js';
import { noteFailures } from './failure.js';
import type { Hub } from './hub.js';
import { openSdk } from './sdk.js';
import { Sessions } from './sessions.js';

/** What stays of the endpoint while generations come and go. */
export class Connections {
  readonly sessions: Sessions;
  readonly #stopping = new AbortController();
  readonly #hub: Hub;
  readonly #project: Project;
  #opened: ReturnType<typeof open> | undefined;

  constructor(hub: Hub, idleSeconds: number, project: Project) {
    this.#hub = hub;
    this.#project = project;
    this.sessions = new Sessions(idleSeconds);
  }

  /** The SDK, loaded by the first request: a server that is only asked for pages starts without it. */
  open(): ReturnType<typeof open> {
    this.#opened ??= open(this.#hub, this.#project);
    return this.#opened;
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
