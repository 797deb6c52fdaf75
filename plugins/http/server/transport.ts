import { BootError, type Problem, type Runtime, type Transport } from '../../../kernel/index.js';

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

/** The reason why a server cannot listen, as a sentence for people where it is known. */
export function listenError(
  cause: NodeJS.ErrnoException,
  { host, port }: HttpTransport,
  reloads: boolean,
): Error {
  const [setPort, setHost] = reloads ? ['--port', '--host'] : ['PORT', 'HOST'];
  const said: Readonly<Record<string, Pick<Problem, 'message' | 'code'>>> = {
    EADDRINUSE: {
      code: 'FWK208',
      message: `Port ${port} is taken on ${host}. Stop what listens there or choose another with ${setPort}.`,
    },
    EACCES: {
      code: 'FWK209',
      message: `Port ${port} needs more rights than this process has. Choose one above 1023 with ${setPort}.`,
    },
    ENOTFOUND: {
      code: 'FWK209',
      message: `Host "${host}" has no address. Choose one of this machine with ${setHost}.`,
    },
    EADDRNOTAVAIL: {
      code: 'FWK209',
      message: `Host "${host}" is not an address of this machine. Choose one that is with ${setHost}.`,
    },
  };
  const problem = said[cause.code ?? ''];
  return problem === undefined ? cause : new BootError(problem);
}
