import { AsyncResource } from 'node:async_hooks';

type Generator = AsyncGenerator<unknown>;

/**
 * `value`; for an async generator, one that runs in the current asynchronous context. Its code runs when its values are read,
 * outside of the middlewares, whose AsyncLocalStorage it may read.
 */
export function inContext(value: object): unknown {
  return Symbol.toStringTag in value && value[Symbol.toStringTag] === 'AsyncGenerator'
    ? new BoundGenerator(value as object as Generator)
    : value;
}

class BoundGenerator {
  readonly [Symbol.toStringTag] = 'AsyncGenerator';
  readonly #generator: Generator;
  readonly #context = new AsyncResource('fwkit.generator');

  constructor(generator: Generator) {
    this.#generator = generator;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): ReturnType<Generator['next']> {
    return this.#context.runInAsyncScope(this.#generator.next, this.#generator);
  }

  return(): ReturnType<Generator['return']> {
    return this.#context.runInAsyncScope(this.#generator.return, this.#generator, undefined);
  }

  throw(thrown: unknown): ReturnType<Generator['throw']> {
    return this.#context.runInAsyncScope(this.#generator.throw, this.#generator, thrown);
  }
}
