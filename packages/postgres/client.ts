import { isObject } from 'fwkit/plugin';

/** A query with numbered parameters. */
export interface Query {
  readonly text: string;
  readonly name?: string;
  readonly values?: unknown[];
}

/** The result of a query. */
export interface Answer {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly rowCount: number | null;
}

/** The members of a `Client` of `pg` that are used here, because this package does not depend on `pg`. */
export interface PostgresClient {
  connect(): Promise<unknown>;
  query(query: Query): Promise<Answer>;
  end(): Promise<unknown>;
  on(event: 'notification', heard: (message: { readonly payload?: string | undefined }) => void): unknown;
  on(event: 'error', heard: (cause: Error) => void): unknown;
  on(event: 'end', heard: () => void): unknown;
}

/** Thrown for a `client` option that cannot be used. The message contains the fix. */
export class ClientMistake extends Error {}

const HOW = 'Write postgres({ client: () => new pg.Client(url) })';

/** Why `client` is not a valid option: a sentence. Undefined if it is valid as far as can be checked without calling it. */
export function mistakeIn(client: unknown): string | undefined {
  if (typeof client === 'function') return undefined;
  return isPool(client)
    ? `postgres({ client }) is a Pool, but LISTEN needs a dedicated connection. ${HOW}. It uses two clients in addition to your Pool.`
    : `postgres({ client }) must be a function that creates a Client of pg. ${HOW}.`;
}

export class Clients {
  readonly #make: () => PostgresClient;
  readonly #made = new WeakSet<object>();

  constructor(make: () => PostgresClient) {
    this.#make = make;
  }

  /** Create a client that is not connected. Throws ClientMistake, or the error of the project's function. */
  make(): PostgresClient {
    const client: unknown = this.#make();
    // The rejection of a promise would have no handler.
    if (client instanceof Promise) client.catch(() => {});
    if (!isClient(client) || isPool(client) || this.#made.has(client))
      throw new ClientMistake(
        `postgres({ client }) did not return a new Client of pg. ${HOW}. It is called for each connection, and postgres() connects the client. A Pool cannot LISTEN.`,
      );
    this.#made.add(client);
    return client;
  }
}

/** Connect a client. Throws ClientMistake if it is connected already. */
export async function connect(client: PostgresClient): Promise<void> {
  try {
    await client.connect();
  } catch (cause) {
    if (cause instanceof Error && cause.message.includes('already been connected'))
      throw new ClientMistake(
        `postgres({ client }) returned a client that is already connected. ${HOW}. Do not connect the client: postgres() does that.`,
      );
    throw cause;
  }
}

export function destroy(client: PostgresClient): void {
  // A connection that does not answer would never end gracefully. The native client has no stream.
  const { connection } = client as { connection?: { stream?: { destroy?: () => void } } };
  if (typeof connection?.stream?.destroy === 'function') connection.stream.destroy();
  else client.end().catch(() => {});
}

const isPool = (value: unknown): boolean => isObject(value) && 'totalCount' in value && 'idleCount' in value;

const isClient = (value: unknown): value is PostgresClient =>
  isObject(value) && ['connect', 'query', 'end', 'on'].every((name) => typeof value[name] === 'function');
