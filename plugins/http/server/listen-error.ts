import { BootError, type Problem } from '../../../kernel/index.js';
import type { HttpTransport } from './transport.js';

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
