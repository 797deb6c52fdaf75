import { createHash } from 'node:crypto';

/** A name of PostgreSQL has at most 63 bytes. */
const MAX_NAME_BYTES = 63;

/** The channel of an app: its name, and as a statement has it. */
export interface Channel {
  readonly name: string;
  readonly quoted: string;
}

export function channelOf(app: string): Channel {
  const whole = `fwk:${app}`;
  const name =
    Buffer.byteLength(whole) <= MAX_NAME_BYTES
      ? whole
      : `fwk:${createHash('sha256').update(app).digest('hex').slice(0, 32)}`;
  return { name, quoted: `"${name.replaceAll('"', '""')}"` };
}
