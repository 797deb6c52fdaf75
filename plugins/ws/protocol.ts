import { WebSocketServer } from 'ws';
import type { OptionValues } from '../../kernel/index.js';
import type { wsOptions } from './options.js';

/** How long a client may take to answer a closing frame, in milliseconds. One that does not is disconnected. */
const CLOSE_TIMEOUT_MS = 2_000;

/** The most frames, or packets of the network, of one message. With the default `maxPayload` that is 64 bytes each. */
const MAX_FRAGMENTS = 16_384;

/** Speaks WebSocket on connections that it is given; `headers` are those of the handshake that is being answered. */
export function protocolOf(
  { maxPayload, compress }: OptionValues<typeof wsOptions>,
  headers: () => readonly string[],
): WebSocketServer {
  const options = { noServer: true, clientTracking: false, closeTimeout: CLOSE_TIMEOUT_MS };
  const server = new WebSocketServer({
    ...options,
    maxPayload,
    // Each piece costs some hundred bytes beside its own, which are one at least.
    maxFragments: MAX_FRAGMENTS,
    maxBufferedChunks: Math.max(MAX_FRAGMENTS, Math.ceil(maxPayload / 400)),
    perMessageDeflate: compress,
  });
  return server.on('headers', (lines) => {
    const given = headers();
    for (let index = 0; index < given.length; index += 2) lines.push(`${given[index]}: ${given[index + 1]}`);
  });
}
