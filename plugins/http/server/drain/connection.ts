import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { newestWaiting } from '../serve/pipelined.js';

/** The fields of Node's that are read; it does not document them, and has had them since its first versions. */
interface Internals {
  /** The response whose turn it is, until the system has all of it. Undefined before the first. */
  readonly _httpMessage?: ServerResponse | null;
  /** Null once the connection speaks another protocol. */
  readonly parser?: unknown;
}

/** Whether HTTP is spoken there, and not what an upgrade has led to. */
export const speaksHttp = ({ parser }: Socket & Internals): boolean => Boolean(parser);

/** Whether a response is under way: being made, or made and not yet wholly with the system. */
export const isAnswering = ({ _httpMessage }: Socket & Internals): boolean => Boolean(_httpMessage);

/** Whether a response has ever been begun there. */
export const hasAnswered = ({ _httpMessage }: Socket & Internals): boolean => _httpMessage !== undefined;

/** The response to the last request that has come and is not answered yet. */
export const newestOn = (socket: Socket & Internals): ServerResponse | undefined =>
  newestWaiting(socket) ?? socket._httpMessage ?? undefined;
