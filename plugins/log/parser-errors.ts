import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from '../../kernel/index.js';
import { AccessFields } from './access-fields.js';
import { logAccess } from './log-access.js';

/** What Node answers by itself, by the code of the error of its parser; 400 to all others. */
const STATUSES: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'Payload Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
};
const BAD_REQUEST = [400, 'Bad Request'] as const;

/** A socket as Node's server keeps it, with the response that it is at. */
interface Serving extends Duplex {
  readonly _httpMessage?: { readonly headersSent: boolean } | null;
}

/**
 * Have requests that Node refuses before anybody sees them written to the access log. Who listens for them has to answer
 * them, so this does what Node does. Returns a function that stops it.
 */
export function logParserErrors(server: Server, logger: Logger): () => void {
  const refuse = (failure: NodeJS.ErrnoException, socket: Serving): void => {
    const { code = '' } = failure;
    // Nothing was asked: a connection that has broken, or one that was opened for later.
    const [status, title] = (Object.hasOwn(STATUSES, code) ? STATUSES[code] : undefined) ?? BAD_REQUEST;
    const isAnswered =
      server.listeners('clientError')[0] !== refuse || socket._httpMessage?.headersSent === true;
    if (code !== 'ECONNRESET' && code !== 'EPIPE') {
      // A client that left in the middle of a body: the line of its request says so.
      const hasLine = code === 'HPE_INVALID_EOF_STATE' && socket._httpMessage;
      if (!hasLine) {
        const { remoteAddress } = socket as Partial<Socket>;
        const fields = new AccessFields({ status, ip: remoteAddress, reason: code });
        logAccess(logger, fields, `refused ${status} ${code}`);
      }
      if (socket.writable && !isAnswered)
        socket.write(`HTTP/1.1 ${status} ${title}\r\nConnection: close\r\n\r\n`);
    }
    if (server.listeners('clientError')[0] === refuse) socket.destroy();
  };
  server.on('clientError', refuse);
  return () => void server.off('clientError', refuse);
}
