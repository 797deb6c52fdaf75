import { BootError } from '../../../kernel/index.js';
import type { HttpTransport } from './transport.js';

/** The reason why a server cannot listen, as a sentence for people where it is known. */
export function listenError(
  cause: NodeJS.ErrnoException,
  { host, port }: HttpTransport,
  reloads: boolean,
): Error {
  const [setPort, setHost] = reloads ? ['--port', '--host'] : ['PORT', 'HOST'];
  const said: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} is taken on ${host}. Stop what listens there or choose another with ${setPort}.`,
    EACCES: `Port ${port} needs more rights than this process has. Choose one above 1023 with ${setPort}.`,
    ENOTFOUND: `Host "${host}" has no address. Choose one of this machine with ${setHost}.`,
    EADDRNOTAVAIL: `Host "${host}" is not an address of this machine. Choose one that is with ${setHost}.`,
  };
  const message = said[cause.code ?? ''];
  return message === undefined ? cause : new BootError({ message });
}
