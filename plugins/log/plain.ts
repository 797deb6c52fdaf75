import { messageOf } from '../../kernel/index.js';
import { REDACTED, redactSecretValues } from '../../scope/index.js';
import type { IsSecret } from './redaction.js';

const MAX_DEPTH = 8;
const MAX_TEXT = 8_192;
/** Maximum length of a name before it is truncated, in characters: a client chooses the names in a body. */
const MAX_NAME = 256;
/** The cost of a member in addition to its text, so that many empty members also reach the limit. */
const MEMBER_COST = 4;

const CUT = 'cut off';

const OF_ERRORS = ['name', 'message', 'stack', 'cause', 'errors'];

export class Plain {
  readonly #isSecret: IsSecret;
  #left: number;
  #above: Set<object> | undefined;

  constructor(isSecret: IsSecret, limit: number) {
    this.#isSecret = isSecret;
    this.#left = limit;
  }

  each(value: object, use: (key: string, member: unknown) => void, skipped: readonly string[] = []): void {
    for (const key of Object.keys(value)) {
      if (skipped.includes(key)) continue;
      if (this.#left <= 0) return use('…', CUT);
      const member = this.#member(value, key);
      if (member === undefined || typeof member === 'function' || typeof member === 'symbol') continue;
      const name = key.length <= MAX_NAME ? key : `${key.slice(0, MAX_NAME)}…`;
      this.#left -= name.length + MEMBER_COST;
      use(name, this.#isSecret(key) ? REDACTED : this.value(member));
    }
  }

  members(
    value: object,
    into: Record<string, unknown> = Object.create(null),
    skipped?: readonly string[],
  ): Record<string, unknown> {
    this.each(
      value,
      (key, member) => {
        into[key] = member;
      },
      skipped,
    );
    return into;
  }

  thrown(value: unknown): unknown {
    return this.#safely(() => {
      if (!(value instanceof Error) || this.#isTooDeep(value)) return this.value(value);
      return this.#below(value, () => this.#error(value));
    });
  }

  #error(error: Partial<AggregateError>): Record<string, unknown> {
    const into = Object.create(null);
    const textOf = (name: 'name' | 'message' | 'stack') =>
      this.#safely(() => (error[name] === undefined ? undefined : this.text(String(error[name]))));
    into.type = textOf('name');
    into.message = textOf('message');
    into.stack = textOf('stack');
    this.members(error, into, OF_ERRORS);
    const cause = this.#safely(() => error.cause);
    if (cause !== undefined) into.cause = this.thrown(cause);
    const errors = this.#safely(() => error.errors);
    // Errors may be nested, even in cycles: without the limit this would never end.
    if (Array.isArray(errors) && this.#left > 0)
      into.errors = errors.slice(0, MAX_DEPTH).map((one) => (this.#left > 0 ? this.thrown(one) : CUT));
    return into;
  }

  value(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'bigint') return this.text(String(value));
    if (typeof value === 'function' || typeof value === 'symbol') return `[${typeof value}]`;
    if (typeof value !== 'object' || value === null) return value;
    return this.#safely(() => this.#object(value));
  }

  text(whole: string): string {
    const text = redactSecretValues(whole);
    const most = Math.max(0, Math.min(this.#left, MAX_TEXT));
    this.#left -= Math.min(text.length, most);
    return text.length <= most ? text : `${text.slice(0, most)}… (${text.length - most} more)`;
  }

  #object(value: object): unknown {
    if (value instanceof Error) return this.thrown(value);
    if (this.#isTooDeep(value)) return this.#above?.has(value) ? '[circular]' : '[deeper]';
    if (ArrayBuffer.isView(value)) return `[${value.constructor.name} of ${value.byteLength} bytes]`;
    // Connections, requests and streams: huge, and they contain all client data.
    if ('pipe' in value || 'emit' in value || 'getReader' in value) return `[${value.constructor?.name}]`;
    return this.#below(value, () => {
      if ('toJSON' in value && typeof value.toJSON === 'function') return this.value(value.toJSON());
      if (value instanceof Map) return this.#items(this.#pairs(value), value.size);
      if (value instanceof Set) return this.#items(value, value.size);
      return Array.isArray(value) ? this.#items(value, value.length) : this.members(value);
    });
  }

  *#pairs(map: ReadonlyMap<unknown, unknown>): Iterable<unknown> {
    for (const [key, value] of map)
      yield [key, typeof key === 'string' && this.#isSecret(key) ? REDACTED : value];
  }

  #items(items: Iterable<unknown>, count: number): unknown[] {
    const taken: unknown[] = [];
    for (const item of items) {
      if (this.#left <= 0) return [...taken, `… (${count - taken.length} more)`];
      this.#left -= MEMBER_COST;
      taken.push(this.value(item));
    }
    return taken;
  }

  #isTooDeep(value: object): boolean {
    return this.#above !== undefined && (this.#above.size >= MAX_DEPTH || this.#above.has(value));
  }

  #below<T>(value: object, act: () => T): T {
    this.#above ??= new Set();
    this.#above.add(value);
    try {
      return act();
    } finally {
      this.#above.delete(value);
    }
  }

  #member(value: object, key: string): unknown {
    try {
      return Reflect.get(value, key);
    } catch (thrown) {
      return this.#threw(thrown);
    }
  }

  #safely<T>(get: () => T): T | string {
    try {
      return get();
    } catch (thrown) {
      return this.#threw(thrown);
    }
  }

  #threw(thrown: unknown): string {
    return `[throws: ${this.text(messageOf(thrown))}]`;
  }
}
