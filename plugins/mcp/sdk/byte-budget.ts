/** Limits the memory that is used for client data. */
export class ByteBudget {
  taken = 0;

  /** `above`: the parent budget. `makeRoom` gets the number of missing bytes before `take` fails. */
  constructor(
    private free: number,
    private readonly above?: ByteBudget,
    private readonly makeRoom: (missing: number) => void = () => {},
  ) {}

  /** Reserve bytes. Returns false, and reserves none, if they are not available. */
  take(bytes: number): boolean {
    if (bytes > this.free) this.makeRoom(bytes - this.free);
    if (bytes > this.free || this.above?.take(bytes) === false) return false;
    this.free -= bytes;
    this.taken += bytes;
    return true;
  }

  give(bytes: number): void {
    this.free += bytes;
    this.taken -= bytes;
    this.above?.give(bytes);
  }

  clear(): void {
    this.give(this.taken);
  }
}

/** Memory overhead of a message that is being answered, excluding its content, in bytes. */
export const CALL_OVERHEAD_BYTES = 4_096;

/** Estimates the memory of parsed JSON, in bytes: `[{},{},{}]` takes twenty times its text's length. */
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
