/** Senders of which the last number is known: those that are heard of are kept. */
const MAX_SENDERS = 1_000;

/**
 * Counts the messages of one process. They are numbered by their sender, so that a receiver knows what comes twice and what is missing:
 * brokers promise neither.
 */
export class Traffic {
  /** Messages that left this process, and that came to it. */
  sent = 0;
  received = 0;
  /** That did not leave: the broker was away or slow, or they are longer than `maxMessage`. */
  unsent = 0;
  oversized = 0;
  /** Of other machines, that did not come. */
  missed = 0;
  /** That came again, or could not be read, and were dropped. */
  doubled = 0;
  broken = 0;
  #number = 0;
  /** By sender, in the order in which they were heard. */
  readonly #numbers = new Map<string, number>();

  /** The number of the last message that this process was to send. */
  get number(): number {
    return this.#number;
  }

  /** The number of the next one. */
  next(): number {
    this.#number += 1;
    return this.#number;
  }

  /** Whether message `number` of `sender` is new. What is missing before it counts as missed. */
  isNew(sender: string, number: number): boolean {
    const last = this.#numbers.get(sender);
    if (last !== undefined && number <= last) {
      this.doubled += 1;
      return false;
    }
    if (last !== undefined) this.missed += number - last - 1;
    this.#keep(sender, number);
    return true;
  }

  /** `sender` says that `number` was its last message. */
  hear(sender: string, number: number): void {
    const last = this.#numbers.get(sender) ?? number;
    this.missed += Math.max(0, number - last);
    this.#keep(sender, Math.max(number, last));
  }

  #keep(sender: string, number: number): void {
    this.#numbers.delete(sender);
    this.#numbers.set(sender, number);
    for (const oldest of this.#numbers.keys()) {
      if (this.#numbers.size <= MAX_SENDERS) return;
      this.#numbers.delete(oldest);
    }
  }
}
