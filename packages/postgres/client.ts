import { isObject } from 'fwkit/plugin';

export interface Query {
  readonly text: string;
  readonly name?: string;
  readonly values?: unknown[];
}

export interface Answer {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** How many rows it has changed or found. */
  readonly rowCount: number | null;
}

/** A `Client` of the package `pg`, known by these members: this package does not depend on it. */
export interface PostgresClient {
  connect(): Promise<unknown>;
  query(query: Query): Promise<Answer>;
  end(): Promise<unknown>;
  on(event: 'notification', heard: (message: { readonly payload?: string | undefined }) => void): unknown;
  on(event: 'error', heard: (cause: Error) => void): unknown;
  on(event: 'end', heard: () => void): unknown;
}

/** What a client is made by cannot be used. The message says what to write. */
export class ClientMistake extends Error {}

const HOW = 'Write postgres({ client: () => new pg.Client(url) })';

/** Why `client` cannot make clients: a sentence. Undefined where it can, as far as is known before it is called. */
export function mistakeIn(client: unknown): string | undefined {
  if (typeof client === 'function') return undefined;
  return isPool(client)
    ? `postgres({ client }) is a Pool, and what listens needs a connection of its own. ${HOW}: two clients beside your Pool.`
    : `postgres({ client }) must be a function that makes a Client of pg. ${HOW}.`;
}

export class Clients {
  readonly #make: () => PostgresClient;
  readonly #made = new WeakSet<object>();

  constructor(make: () => PostgresClient) {
    this.#make = make;
  }

  /** A client that is not connected. Throws ClientMistake, or what the project's own function throws. */
  make(): PostgresClient {
    const client: unknown = this.#make();
    if (isPool(client))
      throw new ClientMistake(
        `postgres({ client }) makes a Pool, and what listens needs a connection of its own. ${HOW}: two clients beside your Pool.`,
      );
    if (hasMethods(client, ['then'])) {
      // Nobody else hears of its failure.
      Promise.resolve(client).catch(() => {});
      throw new ClientMistake(
        `postgres({ client }) gives a promise. ${HOW}, and leave it to postgres() to connect it.`,
      );
    }
    if (!isClient(client))
      throw new ClientMistake(`postgres({ client }) makes what is not a Client of pg. ${HOW}.`);
    if (this.#made.has(client))
      throw new ClientMistake(
        `postgres({ client }) gives the same client again. ${HOW}: it is called for each connection, and makes a new one each time.`,
      );
    this.#made.add(client);
    return client;
  }
}

/** Connect one. Throws ClientMistake for one that is connected already. */
export async function connect(client: PostgresClient): Promise<void> {
  try {
    await client.connect();
  } catch (cause) {
    if (cause instanceof Error && cause.message.includes('already been connected'))
      throw new ClientMistake(
        `postgres({ client }) makes a client that is connected already. ${HOW}, and leave it to postgres() to connect it.`,
      );
    throw cause;
  }
}

/** End the connection at once, whatever it waits for. */
export function destroy(client: PostgresClient): void {
  // One that stands still would never answer the farewell. The native client has no stream.
  const { connection } = client as { connection?: { stream?: { destroy?: () => void } } };
  if (typeof connection?.stream?.destroy === 'function') connection.stream.destroy();
  else client.end().catch(() => {});
}

const isPool = (value: unknown): boolean => isObject(value) && 'totalCount' in value && 'idleCount' in value;

const isClient = (value: unknown): value is PostgresClient =>
  hasMethods(value, ['connect', 'query', 'end', 'on']);

const hasMethods = (value: unknown, names: readonly string[]): boolean =>
  isObject(value) && names.every((name) => typeof value[name] === 'function');
