import { type Clock, type OptionValues, option } from '../../kernel/index.js';

export const sseOptions = {
  /** How often a comment keeps proxies from closing a silent stream, in milliseconds; 0: never. */
  heartbeat: option.whole(15_000, { unit: 'milliseconds' }),
  /** Bytes that may wait for a client that reads slowly before it is disconnected. */
  backpressureLimit: option.whole(4_194_304, { unit: 'bytes' }),
};

export type SseSettings = OptionValues<typeof sseOptions>;

/** Those of one stream. */
export interface StreamSettings extends SseSettings {
  /** Called when a client was disconnected for reading too slowly, with the bytes that waited. */
  readonly onSlow: (waiting: number) => void;
  /** Of its heartbeat. */
  readonly clock: Clock;
}
