/** A limit for the memory that is used for what clients send. */
export class ByteBudget {
  readonly #above: ByteBudget | undefined;
  readonly #makeRoom: (missing: number) => void;
  #free: number;
  taken = 0;

  /** `above`: the budget that it is part of. `makeRoom` is called with the bytes that are missing, before `take` fails. */
  constructor(bytes: number, above?: ByteBudget, makeRoom: (missing: number) => void = () => {}) {
    this.#free = bytes;
    this.#above = above;
    this.#makeRoom = makeRoom;
  }

  /** Take that many bytes. False where they are not available: then none have been taken. */
  take(bytes: number): boolean {
    if (bytes > this.#free) this.#makeRoom(bytes - this.#free);
    if (bytes > this.#free || this.#above?.take(bytes) === false) return false;
    this.#free -= bytes;
    this.taken += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#free += bytes;
    this.taken -= bytes;
    this.#above?.give(bytes);
  }

  clear(): void {
    this.give(this.taken);
  }
}

/**
 * About how many bytes parsed JSON takes in memory, as V8 keeps it. Its text says little of that: `[{},{},{}]` takes
 * twenty times as much.
 */
export function sizeOf(json: unknown): number {
  const waiting: unknown[] = [json];
  let size = 0;
  while (waiting.length > 0) {
    const value = waiting.pop();
    size += 8;
    if (typeof value === 'string') size += 16 + value.length;
    if (typeof value !== 'object' || value === null) continue;
    size += 56;
    if (Array.isArray(value)) {
      for (const one of value) waiting.push(one);
      continue;
    }
    for (const [key, member] of Object.entries(value)) {
      size += 16 + key.length;
      waiting.push(member);
    }
  }
  return size;
}
