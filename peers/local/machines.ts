import type { Json, MachinePeers, Peers, PeersEngine } from '../../kernel/index.js';
import { waitOf } from './lock-arguments.js';
import { checkedMemory, checkMemoryOptions } from './memory-arguments.js';
import { derive, givenSecret, noCommonSecret } from './secret.js';
import { Topics } from './topics.js';

/** Modes in which machines need no secret of their own. */
const LENIENT_MODES = ['development', 'test'];

/**
 * The peers of all machines: messages go to the processes of this machine directly, and to others by the engine, which keeps memory,
 * locks and rosters for all. That nothing comes twice follows from one rule: what carries the id of the own machine is ignored.
 */
export function acrossMachines(own: MachinePeers, engine: PeersEngine): Peers {
  const topics = new Topics();
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
      return checkedMemory(engine.memory(name));
    },
    lock: async (name, work, options) => engine.lock(name, work, { wait: waitOf(name, options) }),
    roster: (name) => engine.roster(name),
  };
}
