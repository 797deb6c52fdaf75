import type { IncomingMessage } from 'node:http';
import { sendProblem } from '../../errors/send-error.js';
import { authorityOf } from '../../request/forwarded.js';
import { HttpProblem } from '../../request/http-error.js';
import type { TrustProxy } from '../../request/project-settings.js';
import { HttpResponse } from '../../response/response.js';
import type { Around } from '../serve/around.js';
import { among, nameOf } from './dev-hosts.js';

interface AllowedHosts {
  /** The names in `http.hosts`. */
  readonly names: readonly string[];
  readonly trustProxy: TrustProxy;
  /** The paths of health checks, which load balancers request by the address of the machine. */
  readonly exempt: ReadonlySet<string>;
  /** Called once for each of the first hosts that are rejected. */
  readonly report: (message: string) => void;
}

/** The most rejected hosts that are reported. */
const MAX_REPORTED = 20;

/**
 * Answer requests for other hosts with 421 (RFC 9110 §15.5.20). The host is the one in `req.url`: the request line, a trusted
 * X-Forwarded-Host, or Host.
 */
export function requireAllowedHost({ names, trustProxy, exempt, report }: AllowedHosts): Around {
  const isAllowed = among(names);
  const reported = new Set<string>();
  const problemOf = (raw: IncomingMessage): HttpProblem | undefined => {
    let host: string;
    try {
      host = authorityOf(raw, trustProxy);
    } catch (thrown) {
      // Another error must not let the request pass, as it would if this function threw.
      return thrown instanceof HttpProblem ? thrown : new HttpProblem(400, 'The host is invalid');
    }
    if (isAllowed(nameOf(host))) return undefined;
    const message = `This server does not answer requests for the host ${JSON.stringify(host)}`;
    if (reported.size < MAX_REPORTED && !reported.has(host)) {
      reported.add(host);
      report(`${message}. To allow it, add it to http.hosts in fwk.config.`);
    }
    return new HttpProblem(421, message);
  };
  return (raw, out, next) => {
    const isProbe = (raw.method === 'GET' || raw.method === 'HEAD') && exempt.has(raw.url ?? '');
    const problem = isProbe ? undefined : problemOf(raw);
    if (problem) sendProblem(problem, raw, new HttpResponse(out));
    else next(raw, out);
  };
}
