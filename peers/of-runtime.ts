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
  /** The same, or those of all machines. */
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

/** Set which processes of this machine serve the app, before anybody asks for them. Where nothing is set, this process serves alone. */
export function setMachinePeers(runtime: Runtime, peers: Peers): void {
  if (stateOf(runtime, () => peers).machine !== peers)
    throw new Error('the peers of a runtime are known already');
}

/** The processes that serve the app. Read it where you use it: they may reach further from `Stage.connect` on. */
export const peersOf = (runtime: Runtime): Peers => stateOf(runtime, alone).all;

/** The processes of this machine that serve the app, however far `peersOf` reaches. */
export const machinePeersOf = (runtime: Runtime): Peers => stateOf(runtime, alone).machine;

/**
 * Have the peers of an app reach other machines. Once in a runtime, in a tap of `serve` at `Stage.connect`, before anything uses
 * them. Throws BootError where another engine does so already.
 */
export function spanMachines(runtime: Runtime, engine: PeersEngine): void {
  const state = stateOf(runtime, alone);
  if (state.engine) {
    const message = `${state.engine.name} and ${engine.name} both connect machines. Take one of them out of plugins in fwk.config.`;
    throw new BootError({ message, code: 'FWK802' });
  }
  state.engine = engine;
  const all = acrossMachines(state.machine, engine);
  state.all = all;
  runtime.onEnd(() => all.leave());
}

/** The peers of all machines. */
interface MachinesPeers extends Peers {
  /** Have the shares of this process in rosters count no more. Never rejects. */
  leave(): Promise<void>;
}

/** Modes in which machines need no secret of their own. */
const LENIENT_MODES = ['development', 'test'];

/**
 * The peers of all machines: messages go to the processes of this machine directly, and to others by the engine, which keeps memory
 * and locks for all. That nothing comes twice follows from one rule: what carries the id of the own machine is ignored.
 */
export function acrossMachines(own: Peers, engine: PeersEngine): MachinesPeers {
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
      // What it must not be has been refused.
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
