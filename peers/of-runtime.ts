import { BootError, type Runtime, slotKey } from '../kernel/index.js';
import type { Json, Peers, PeersEngine } from './contract.js';
import { waitOf } from './local/local-locks.js';
import { checkedMemory, checkMemoryOptions } from './local/local-memory.js';
import { OneProcess } from './local/one-process.js';
import { derive, givenSecret, noCommonSecret } from './local/secret.js';
import { Topics } from './local/topics.js';
import { Rosters } from './rosters.js';

interface RuntimePeers {
  readonly machine: Peers;
  /** The peers of all machines once an engine connects them; otherwise the same as `machine`. */
  all: Peers;
  engine: PeersEngine | undefined;
}

const PEERS = slotKey<RuntimePeers>('peers');

const stateOf = (runtime: Runtime, make: () => Peers): RuntimePeers =>
  runtime.slot(PEERS, () => {
    const machine = make();
    return { machine, all: machine, engine: undefined };
  });

const alone = (): Peers => new OneProcess();

/** Set the processes of this machine that serve the app, before their first use. By default, this process serves alone. */
export function setMachinePeers(runtime: Runtime, peers: Peers): void {
  if (stateOf(runtime, () => peers).machine !== peers)
    throw new Error('the peers of this runtime have been set or used already');
}

/** The processes that serve the app. Do not cache the result: from `Stage.connect` on, it may include other machines. */
export const peersOf = (runtime: Runtime): Peers => stateOf(runtime, alone).all;

/** The processes of this machine that serve the app, even if `peersOf` includes other machines. */
export const machinePeersOf = (runtime: Runtime): Peers => stateOf(runtime, alone).machine;

/**
 * Connect the peers of an app to other machines. Call it once per runtime, in a tap of `serve` at `Stage.connect`, before the peers are
 * used. Throws BootError if another engine already connects machines.
 */
export function spanMachines(runtime: Runtime, engine: PeersEngine): void {
  refuseSecondEngine(runtime, engine);
  const state = stateOf(runtime, alone);
  state.engine = engine;
  const all = acrossMachines(state.machine, engine);
  state.all = all;
  runtime.onEnd(() => all.leave());
}

/** Throws BootError if another engine already connects machines. */
export function refuseSecondEngine(runtime: Runtime, { name }: Pick<PeersEngine, 'name'>): void {
  const { engine } = stateOf(runtime, alone);
  if (!engine) return;
  const message = `${engine.name} and ${name} both connect machines. Remove one of them from "plugins" in fwk.config.`;
  throw new BootError({ message, code: 'FWK802' });
}

/** Modes in which FWK_SECRET is optional. */
const LENIENT_MODES = ['development', 'test'];

/** The peers of all machines. Messages go to this machine directly, and through the engine to others, which stores memory and locks. */
export function acrossMachines(own: Peers, engine: PeersEngine): Peers & { leave(): Promise<void> } {
  const topics = new Topics();
  const memory = (name: string) => checkedMemory(engine.memory(name));
  const rosters = new Rosters(own.id, memory);
  engine.listen((topic, head, body) => topics.deliver(topic, head, body));
  return {
    id: own.id,
    machine: own.machine,
    count: own.count,
    span: 'machines',
    secret(purpose) {
      const given = givenSecret();
      if (given !== undefined) return derive(given, purpose);
      if (LENIENT_MODES.includes(process.env.NODE_ENV ?? '')) return derive('development', purpose);
      throw noCommonSecret(engine.name, purpose);
    },
    send(topic, head, body = '') {
      own.send(topic, head, body);
      // `own.send` has checked the head.
      engine.send(topic, head as Json, body);
    },
    on(topic, receive) {
      const ends = [own.on(topic, receive), topics.on(topic, receive)];
      return () => {
        for (const end of ends) end();
      };
    },
    memory(name, options) {
      checkMemoryOptions(options);
      return memory(name);
    },
    lock: async (name, work, options) => engine.lock(name, work, { wait: waitOf(name, options) }),
    roster: (name) => rosters.of(name),
    leave: () => rosters.leave(),
  };
}
