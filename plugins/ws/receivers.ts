import { parse as parseJson } from 'secure-json-parse';
import { isThenable } from '../../kernel/index.js';
import type { StandardSchema } from '../http/index.js';
import {
  type Checked,
  describeIssues,
  httpSettingsOf,
  type Issue,
  isDeeper,
  plainIssues,
} from '../http/internal.js';
import type { Message } from './socket.js';
import type { Entry } from './upgrades.js';

type Callback<Value> = (value: Value) => unknown;

const NO_JSON: readonly Issue[] = [{ path: [], message: 'The message is not JSON' }];

/** The message callbacks of a handler. Messages for `onJson` are parsed and checked. */
export class Receivers {
  readonly #schema: StandardSchema | undefined;
  readonly #maxDepth: number;
  /** Closes the connection because of an invalid message. The reason fits into a closing frame. */
  readonly #refuse: (reason: string) => unknown;
  readonly #ofMessages: Callback<Message>[] = [];
  readonly #ofJson: Callback<unknown>[] = [];
  readonly #ofInvalid: Callback<readonly Issue[]>[] = [];

  constructor({ definition, project }: Entry, refuse: (reason: string) => unknown) {
    this.#schema = definition?.receive;
    this.#maxDepth = httpSettingsOf(project).maxJsonDepth;
    this.#refuse = refuse;
  }

  addMessage(receive: Callback<Message>): void {
    this.#ofMessages.push(receive);
  }

  addJson(receive: Callback<unknown>): void {
    // A message is parsed and checked once, for all callbacks.
    if (this.#ofJson.push(receive) === 1) this.addMessage((message) => this.#receiveJson(message));
  }

  addInvalid(invalid: Callback<readonly Issue[]>): void {
    this.#ofInvalid.push(invalid);
  }

  receive(message: Message): unknown {
    return callAll(this.#ofMessages, message);
  }

  #receiveJson(message: Message): unknown {
    const max = this.#maxDepth;
    if (typeof message === 'string' && isDeeper(message, max))
      return this.#reject([
        { path: [], message: `The message is nested deeper than the limit of ${max} levels` },
      ]);
    let value: unknown;
    try {
      value = jsonOf(message);
    } catch {
      return this.#reject(NO_JSON);
    }
    if (!this.#schema) return callAll(this.#ofJson, value);
    const checked = this.#schema['~standard'].validate(value);
    return isThenable(checked)
      ? Promise.resolve(checked).then((done) => this.#proceed(done))
      : this.#proceed(checked);
  }

  #proceed(checked: Checked): unknown {
    return checked.issues ? this.#reject(plainIssues(checked.issues)) : callAll(this.#ofJson, checked.value);
  }

  #reject(issues: readonly Issue[]): unknown {
    return this.#ofInvalid.length > 0
      ? callAll(this.#ofInvalid, issues)
      : this.#refuse(truncateReason(describeIssues(issues.slice(0, 1))));
  }
}

function callAll<Value>(callbacks: readonly Callback<Value>[], value: Value): unknown {
  // There is almost always one callback, and this runs for every message.
  if (callbacks.length === 1) return callbacks[0]?.(value);
  // Each call becomes a promise: if one throws, rejections of the earlier callbacks must still be handled.
  return Promise.all(callbacks.map(async (callback) => callback(value)));
}

/** The maximum length of the reason in a closing frame, in bytes (RFC 6455 §5.5). */
const MAX_REASON_BYTES = 123;

const SPACE = new Uint8Array(MAX_REASON_BYTES);

export function truncateReason(text: string): string {
  const { written } = new TextEncoder().encodeInto(text, SPACE);
  return new TextDecoder().decode(SPACE.subarray(0, written));
}

/** A message of JSON text as a value, without `__proto__`. Throws SyntaxError if it is not JSON. */
function jsonOf(message: Message): unknown {
  if (typeof message !== 'string') throw new SyntaxError('bytes are not JSON text');
  return parseJson(message);
}
