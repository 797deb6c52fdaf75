import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { Signals } from '../../app/process-end.js';
import type { Flags } from '../../contributions/index.js';
import { httpTransport } from '../../plugins/http/internal.js';
import { requireKnownHost } from '../../plugins/http/server/listen/dev-hosts.js';
import { listenError } from '../../plugins/http/server/transport.js';
import { portOf } from '../flags.js';
import { listening } from '../terminal/report.js';
import { manualListener } from './site/listener.js';
import { BASE } from './site/render.js';

/** Serve the manual without a project, until SIGINT, SIGTERM or SIGHUP. */
export async function serveManual({ port: givenPort, host: givenHost, dir }: Flags): Promise<void> {
  const host = String(givenHost);
  const port = portOf(givenPort);
  const signals = new Signals();
  const answer = manualListener(resolve(String(dir)));
  const advice = 'Start it with --host and the name that it is to answer to';
  const checkHost = requireKnownHost({ host, allowed: [], advice });
  const server = createServer((raw, out) =>
    checkHost(raw, out, () => {
      if (isBelowBase(raw.url)) return answer(raw, out);
      // Whoever knows a page, or asks for llms.txt where it is elsewhere, is led there.
      out.writeHead(302, { Location: `${BASE}${raw.url}` }).end();
    }),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(listenError(cause, httpTransport(host, port), true)));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const chosen = typeof address === 'object' && address !== null ? address.port : port;
  console.log(listening(`http://${host.includes(':') ? `[${host}]` : host}:${chosen}${BASE}/`));
  await signals.stopped('SIGHUP');
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

const isBelowBase = (url = ''): boolean =>
  url === BASE || url.startsWith(`${BASE}/`) || url.startsWith(`${BASE}?`);
