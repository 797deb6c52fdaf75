import type { Broker } from './broker.js';
import type { Script } from './scripts.js';

/** Runs scripts by their digest, once the server has them. */
export class ScriptRunner {
  readonly #broker: Broker;
  readonly #known = new Set<Script>();

  constructor(broker: Broker) {
    this.#broker = broker;
  }

  async run(script: Script, keys: readonly string[], args: readonly string[] = []): Promise<unknown> {
    const tail = [String(keys.length), ...keys, ...args];
    if (this.#known.has(script))
      try {
        return await this.#broker.ask(['EVALSHA', script.sha, ...tail]);
      } catch (cause) {
        // The server has been started again, or it is another.
        if (!(cause instanceof Error && cause.message.includes('NOSCRIPT'))) throw cause;
      }
    const answer = await this.#broker.ask(['EVAL', script.text, ...tail]);
    this.#known.add(script);
    return answer;
  }
}
