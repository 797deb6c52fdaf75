import { BootError, type Problem, type Runtime, type Transport } from '../../../kernel/index.js';

/** A server that this process owns. */
export interface HttpTransport extends Transport {
  readonly kind: 'http';
  /** The name or address to listen on. */
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** The addresses to show to users: `http://localhost:3000/`. Known once the server listens. */
  readonly urls: string[];
}

/** The transport of a run that listens on `host` and `port`; 0 selects a free port. */
export const httpTransport = (host: string, port: number): HttpTransport => ({
  kind: 'http',
  host,
  port,
  urls: [],
});

/** The transport of a run that doesn't listen: callers in this process pass requests in. */
export const EMBEDDED: Transport = Object.freeze({ kind: 'embedded' });

/** The server that a run listens with; undefined if it doesn't listen. */
export const httpTransportOf = ({ transport }: Pick<Runtime, 'transport'>): HttpTransport | undefined =>
  isHttpTransport(transport) ? transport : undefined;

/** Whether a run serves HTTP, with its own server or another one. */
export const servesHttp = ({ transport }: Pick<Runtime, 'transport'>): boolean =>
  isHttpTransport(transport) || transport.kind === EMBEDDED.kind;

const isHttpTransport = (transport: Transport): transport is HttpTransport => transport.kind === 'http';

/** The reason why a server can't listen, as a message for users if the cause is known. */
export function listenError(
  cause: NodeJS.ErrnoException,
  { host, port }: HttpTransport,
  reloads: boolean,
): Error {
  const [setPort, setHost] = reloads ? ['--port', '--host'] : ['PORT', 'HOST'];
  const problems: Readonly<Record<string, Pick<Problem, 'message' | 'code'>>> = {
    EADDRINUSE: {
      code: 'FWK208',
      message: `Port ${port} is already in use on ${host}. Stop the process that uses it, or choose another port with ${setPort}.`,
    },
    EACCES: {
      code: 'FWK209',
      message: `Port ${port} requires more privileges than this process has. Choose a port above 1023 with ${setPort}.`,
    },
    ENOTFOUND: {
      code: 'FWK209',
      message: `Host "${host}" has no address. Choose a host of this machine with ${setHost}.`,
    },
    EADDRNOTAVAIL: {
      code: 'FWK209',
      message: `Host "${host}" is not an address of this machine. Choose an address of this machine with ${setHost}.`,
    },
  };
  const problem = problems[cause.code === 'EAFNOSUPPORT' ? 'EADDRNOTAVAIL' : (cause.code ?? '')];
  return problem === undefined ? cause : new BootError(problem);
}
