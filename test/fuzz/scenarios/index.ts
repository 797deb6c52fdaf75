import type { Play } from '../play.js';
import { brokenBytes, framing, manyLines, weirdTargets } from './broken.js';
import { brokenMessages, session, sessionless } from './mcp.js';
import { destroyed, expecting, silent, slowReader } from './patience.js';
import { brokenFrames, echoed, flood } from './sockets.js';
import { handshakeAndMore, offered } from './upgrades.js';
import { byteByByte, halfClosed, oneByOne, pipeline } from './well-formed.js';

export type Scenario = (play: Play) => Promise<void>;

/** The scenarios with their weights. */
const SCENARIOS: readonly (readonly [weight: number, Scenario])[] = [
  [12, oneByOne],
  [10, pipeline],
  [4, byteByByte],
  [6, halfClosed],
  [30, brokenBytes],
  [6, framing],
  [2, manyLines],
  [8, weirdTargets],
  [3, slowReader],
  [8, destroyed],
  [1, silent],
  [4, expecting],
  [4, offered],
  [4, handshakeAndMore],
  [5, echoed],
  [5, brokenFrames],
  [1, flood],
  [3, session],
  [3, sessionless],
  [4, brokenMessages],
];

const TABLE = SCENARIOS.flatMap(([weight, scenario]) => Array.from({ length: weight }, () => scenario));

/** The first random number of an exchange selects its scenario. */
export const scenarioOf = ({ random }: Play): Scenario => random.pick(TABLE);
