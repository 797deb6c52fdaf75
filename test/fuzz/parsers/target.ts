import { HttpProblem } from '../../../plugins/http/request/http-error.js';

/** A parser of what strangers send, and what must hold of it whatever they send. */
export interface Target {
  readonly name: string;
  /** Texts that lead into its branches, byte by byte in Latin-1. */
  readonly words: readonly string[];
  /** Parses the input. Throws, or rejects, where something does not hold. */
  run(input: Buffer): void | Promise<void>;
}

/** What does not hold. */
export class Broken extends Error {}

export function holds(isTrue: boolean, what: string): asserts isTrue {
  if (!isTrue) throw new Broken(what);
}

/** What a parser gives, or undefined where it refuses the input as it may: with a problem of the client's. */
export function given<Result>(parse: () => Result): Result | undefined {
  try {
    return parse();
  } catch (thrown) {
    if (thrown instanceof HttpProblem && thrown.status >= 400 && thrown.status < 500) return undefined;
    throw thrown;
  }
}

/** The same of one that takes its time. */
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
