import { HttpProblem } from '../../../plugins/http/request/http-error.js';

/** A parser of clients' data, and its invariants for any input. */
export interface Target {
  readonly name: string;
  /** Parses the input. Throws, or rejects, where something does not hold. */
  run(input: Buffer): void | Promise<void>;
}

/** A broken invariant. */
export class Broken extends Error {}

export function holds(isTrue: boolean, what: string): asserts isTrue {
  if (!isTrue) throw new Broken(what);
}

/** The result of a parser; undefined if it refuses the input with a client error, as it may. */
export function given<Result>(parse: () => Result): Result | undefined {
  try {
    return parse();
  } catch (thrown) {
    if (thrown instanceof HttpProblem && thrown.status >= 400 && thrown.status < 500) return undefined;
    throw thrown;
  }
}

/** The same for an asynchronous parser. */
export async function givenLater<Result>(parse: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await parse();
  } catch (thrown) {
    return given<undefined>(() => {
      throw thrown;
    });
  }
}

/** That an object is a plain table: without a prototype, and without a key that would become one elsewhere. */
export function isTable(value: object, name: string): void {
  holds(Object.getPrototypeOf(value) === null, `${name} has a prototype`);
  holds(!Object.hasOwn(value, '__proto__'), `${name} has the key __proto__`);
}
