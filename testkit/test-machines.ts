import { setImmediate } from 'node:timers';

import {
  type Json,
  LocalLocks,
  LocalMemories,
  type Lock,
  type PeersEngine,
  type SharedMemory,
  Unavailable,
  waitOf,
  whileHeld,
} from '../peers/index.js';

/** A machine of a test: see `testMachines`. */
export interface TestMachine extends PeersEngine {
  /** Disconnect it from the others, like a network failure: messages are lost, and operations reject with `Unavailable`. */
  cut(): void;
  /** Connect it again. */
  mend(): void;
}

type Deliver = (topic: string, head: Json, body: string | Uint8Array) => void;

/**
 * Machines in one process, for tests of an app on several: `const machine = testMachines();` and `createTestApp({ machine: machine() })`
 * for each. They share memories, locks and messages, like machines that share one Redis.
 */
export function testMachines(): () => TestMachine {
  const memories = new LocalMemories();
  const locks = new LocalLocks();
  const machines = new Set<Machine>();

  class Machine implements TestMachine {
    readonly name = 'testMachines';
    deliver: Deliver = () => {};
    isCut = false;

    cut(): void {
      this.isCut = true;
    }

    mend(): void {
      this.isCut = false;
    }

    listen(deliver: Deliver): void {
      this.deliver = deliver;
    }

    send(topic: string, head: Json, body: string | Uint8Array): void {
      // A copy, as if it was sent: a later change to the message has no effect.
      const [sentHead, sentBody] = structuredClone([head, body] as const);
      for (const other of machines)
        setImmediate(() => {
          if (other !== this && !other.isCut && !this.isCut) other.deliver(topic, sentHead, sentBody);
        });
    }

    memory(name: string): SharedMemory {
      const memory = memories.of(name);
      const reached = async <T>(act: () => T): Promise<T> => {
        this.#check();
        return act();
      };
      return {
        get: (key) => reached(() => memory.get(key)),
        put: (key, fields, maxAge, only) => reached(() => memory.put(key, fields, maxAge, only)),
        take: (key) => reached(() => memory.take(key)),
        add: (key, amount, maxAge) => reached(() => memory.add(key, amount, maxAge)),
      };
    }

    readonly lock: Lock = async (name, work, options) => {
      this.#check();
      return whileHeld(name, locks.claim(name, waitOf(name, options)), work);
    };

    #check(): void {
      if (this.isCut) throw new Unavailable('this machine is cut off from the others');
    }
  }

  return () => {
    const machine = new Machine();
    machines.add(machine);
    return machine;
  };
}
