import type { Runtime, Transport } from '../../../kernel/index.js';

/** A server of this process's own. */
export interface HttpTransport extends Transport {
  readonly kind: 'http';
  /** Name or address to listen on. */
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Addresses that answer, for people: `http://localhost:3000/`. Known once it listens. */
  readonly urls: string[];
}

/** The transport of a run that listens on `host` and `port`; 0 picks a free port. */
export const httpTransport = (host: string, port: number): HttpTransport => ({
  kind: 'http',
  host,
  port,
  urls: [],
});

/** Listen nowhere, and answer requests that callers in this process pass in. */
export const EMBEDDED: Transport = Object.freeze({ kind: 'embedded' });

/** The server that a run listens with; undefined where it listens nowhere. */
export const httpTransportOf = ({ transport }: Pick<Runtime, 'transport'>): HttpTransport | undefined =>
  isHttpTransport(transport) ? transport : undefined;

/** Whether a run answers HTTP at all, with a server of its own or another's. */
export const servesHttp = ({ transport }: Pick<Runtime, 'transport'>): boolean =>
  isHttpTransport(transport) || transport.kind === EMBEDDED.kind;

const isHttpTransport = (transport: Transport): transport is HttpTransport => transport.kind === 'http';
