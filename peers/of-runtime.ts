import { BootError, type Runtime, slotKey } from '../kernel/index.js';
import type { MachinePeers, Peers, PeersEngine } from './contract/index.js';
import { OneProcess } from './local/one-process.js';

interface RuntimePeers {
  readonly machine: MachinePeers;
  /** The same, or those of all machines. */
  all: Peers;
  engine: PeersEngine | undefined;
}

const PEERS = slotKey<RuntimePeers>('peers');

const stateOf = (runtime: Runtime, make: () => MachinePeers): RuntimePeers =>
  runtime.slot(PEERS, () => {
    const machine = make();
    return { machine, all: machine, engine: undefined };
  });

const alone = (): MachinePeers => new OneProcess();

/**
 * Set which processes of this machine serve the app, before anybody asks for them. Where nothing is set, this process serves alone.
 */
export function setMachinePeers(runtime: Runtime, peers: MachinePeers): void {
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
  state.all = state.machine.across(engine);
}
