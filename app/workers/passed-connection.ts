/** What Node's primary sends with a connection, and the number under which it awaits whether that was taken. */
export interface Passed {
  readonly cmd: 'NODE_CLUSTER';
  readonly act: 'newconn';
  readonly seq: number;
}

export const isPassed = (message: unknown): message is Passed => {
  const { cmd, act } = Object(message) as Partial<Passed>;
  return cmd === 'NODE_CLUSTER' && act === 'newconn';
};
