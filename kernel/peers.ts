/** Texts that all processes of an app see. They outlive each of the processes that serve. */
export interface SharedMemory {
  get(key: string): Promise<string | undefined>;
  /** Keep `text` for `maxAge` seconds. When memory is full, what was used longest ago makes room. */
  set(key: string, text: string, maxAge: number): Promise<void>;
  delete(key: string): Promise<void>;
}

/** The processes that serve one app on this machine, as one of them sees them. Names begin with the plugin's. */
export interface Peers {
  /** Of this process; no other has had it. */
  readonly id: number;
  /** How many serve at a time. */
  readonly count: number;
  /** Random, and the same for all of them as long as the app runs: what one signs, the others verify. */
  readonly secret: string;
  /**
   * Send to all others that listen for `topic`; those of one sender arrive in their order. `message` is what
   * structured clone takes, bytes included. Throws for anything else, where there are others.
   */
  send(topic: string, message: unknown): void;
  /** Have `receive` called with what others send. Returns a function that ends it. */
  on(topic: string, receive: (message: unknown) => void): () => void;
  memory(name: string): SharedMemory;
  /** Run `work` while no other process, and nothing else in this one, holds the lock of that name. */
  lock<T>(name: string, work: () => Promise<T>): Promise<T>;
}
