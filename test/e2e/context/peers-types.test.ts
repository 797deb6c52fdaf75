import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { project } from '../../harness/project.js';
import { sampled } from '../../harness/sample.js';
import { compared, compilers, tsc, unreported } from '../../harness/tsc.js';

// Types of the messages between peers, tried with real compilers: the project's own types without a cast, and only
// JSON.

const right = {
  'services/prices.ts': `import { service } from 'fwkit';
import type { JsonOf, Receive } from 'fwkit/peers';
import type { Json, Peers } from 'fwkit/plugin';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const is = <_ extends true>(): void => {};

export interface Purge {
  readonly tags: readonly string[];
  cents?: number;
  before?: Purge | null;
  none?: Purge | undefined;
}

/** A wrapper that leaves the type to its caller. */
export const topic = <Message>(peers: Peers, name: string) => ({
  tell: (message: JsonOf<Message>) => peers.send<Message>(name, message),
  hear: (receive: Receive<Message>) => peers.on<Message>(name, receive),
});

export default service((_ctx, { peers }) => {
  const off = peers.on<Purge>('prices', ({ tags, before }, body) => {
    is<Same<typeof tags, readonly string[]>>();
    is<Same<typeof before, Purge | null | undefined>>();
    is<Same<typeof body, string | Uint8Array>>();
  });
  peers.on('prices', (purge: Purge) => purge.tags);
  peers.on('prices', (head) => is<Same<typeof head, Json>>());
  topic<Purge>(peers, 'prices').hear(({ cents = 0 }) => cents.toFixed());
  return {
    off,
    send(purge: Purge, json: Json, all: Record<string, Purge>, pair: readonly [Purge, 'a' | 'b']) {
      peers.send('prices', purge);
      peers.send('prices', { purge, at: 1, list: [purge, 'a', null], left: undefined }, new Uint8Array(2));
      peers.send('prices', json);
      peers.send('prices', all);
      peers.send('prices', pair);
      peers.send('prices', []);
      peers.send('prices', {});
      peers.send('prices', null);
      peers.send('prices', JSON.parse('{}'));
      topic<Purge>(peers, 'prices').tell(purge);
    },
  };
});
`,
};

const wrong = {
  'services/wrong.ts': `import { service } from 'fwkit';
import { type Purge, topic } from './prices.js';

class Basket {
  total = 0;
  add() {}
}

export default service((_ctx, { peers }) => ({
  send(purge: Purge, maybe: Purge | undefined, anything: unknown, all: Record<string, unknown>) {
    peers.send('prices', () => purge); //! TS2345 // a function is not JSON
    peers.send('prices', undefined); //! TS2345 // undefined is not JSON
    peers.send('prices', maybe); //! TS2345 // undefined is not JSON
    peers.send('prices', [undefined]); //! TS2322 // undefined is not JSON
    peers.send('prices', { purge, at: new Date() }); //! TS2322 // send the result of its toJSON()
    peers.send('prices', { deep: { id: 1n } }); //! TS2322 // a bigint is not JSON
    peers.send('prices', Symbol('a')); //! TS2345 // a symbol is not JSON
    peers.send('prices', new Basket()); //! TS2345 // a function is not JSON
    peers.send('prices', new Map([['a', purge]])); //! TS2345 // an object of this class is not JSON
    peers.send('prices', { later: Promise.resolve(1) }); //! TS2322 // an object of this class is not JSON
    peers.send('prices', anything); //! TS2345 // 'unknown' is not assignable to parameter of type 'Json'
    peers.send('prices', all); //! TS2345 // 'unknown' is not assignable to type 'Json'
    peers.send<Purge>('prices', { tags: 'all' }); //! TS2322
    topic<Purge>(peers, 'prices').tell({ tag: [] }); //! TS2353 TS2561
  },
  stop: peers.on<Purge>('prices', ({ tag }) => tag), //! TS2339
}));
`,
};

const made = project({ ...right, ...wrong });

for (const [version, compiler] of sampled(Object.entries(compilers))) {
  const test = suite(`TypeScript ${version}`);

  test('JSON values are sent and received without a cast, and other values are rejected with the reason', async () => {
    assert.is((await fwk(made, 'types')).status, 0);
    const diagnostics = await tsc(made, compiler());
    assert.equal(compared(made, diagnostics, wrong), { missing: [], surplus: [] });
    assert.equal(unreported(diagnostics, wrong), []);
  });

  test.run();
}
