export interface LogEntry {
  readonly id: string;
  readonly text: string;
}

/** Stores the entries of a log. All methods may reject with Unavailable. */
export interface LogStore {
  /** Append an entry and return its id. About the last `keep` entries remain, until `maxAge` seconds after the newest one. */
  append(text: string, keep: number, maxAge: number): Promise<string>;
  last(): Promise<string>;
  after(id: string, most: number): Promise<readonly LogEntry[]>;
}

/** The time in milliseconds, and a sequence number. Clients may send ids of any other form. */
const ID = /^(\d{1,15})-(\d{1,15})$/;

export const isLogId = (id: string | undefined): id is string => id !== undefined && ID.test(id);

export function isAfter(a: string, b: string): boolean {
  const [[timeA = 0, numberA = 0], [timeB = 0, numberB = 0]] = [partsOf(a), partsOf(b)];
  return timeA > timeB || (timeA === timeB && numberA > numberB);
}

const partsOf = (id: string): number[] => id.split('-').map(Number);

/** Stores a log in one process: for tests, and in development without Redis. */
export class LocalStore implements LogStore {
  #entries: LogEntry[] = [];
  #time = 0;
  #number = 0;

  async append(text: string, keep: number): Promise<string> {
    const now = Date.now();
    this.#number = now > this.#time ? 0 : this.#number + 1;
    this.#time = Math.max(now, this.#time);
    const id = `${this.#time}-${this.#number}`;
    this.#entries.push({ id, text });
    if (this.#entries.length > 2 * keep) this.#entries = this.#entries.slice(-keep);
    return id;
  }

  async last(): Promise<string> {
    return this.#entries.at(-1)?.id ?? '0-0';
  }

  async after(id: string, most: number): Promise<readonly LogEntry[]> {
    const first = this.#entries.findIndex((entry) => isAfter(entry.id, id));
    return first === -1 ? [] : this.#entries.slice(first, first + most);
  }
}

interface StreamSource {
  stream(name: string): LogStore;
}

/** By the id of the peer that serves an app: tests run several in one process. */
const sources = new Map<string, StreamSource>();

export function addStreamSource(process: string, source: StreamSource): () => void {
  sources.set(process, source);
  return () => void sources.delete(process);
}

export const streamSourceOf = (process: string): StreamSource | undefined => sources.get(process);
