export interface BrokerSettings {
  /** Makes what connects to the broker. */
  readonly connection: () => unknown;
  /** Another than Redis: `createPostgresBackend` of BullMQ. */
  readonly backend: unknown;
  /** The name of the app: apps that share a broker must not take each other's jobs. */
  readonly app: string;
  /** Milliseconds for which a connection may give no sign. */
  readonly giveUp: number;
}
