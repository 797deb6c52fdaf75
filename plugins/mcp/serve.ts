import { createHash } from 'node:crypto';
import { BootError, type Serving } from '../../kernel/index.js';
import { type Peers, peersOf } from '../../peers/index.js';
import { serverOf, servesHttp } from '../http/index.js';
import type { Offering } from './calls/client.js';
import { Connections } from './http/connections.js';
import type { Endpoint } from './http/endpoint.js';
import { Hub, serverInfo } from './hub.js';
import type { McpSettings } from './options.js';
import { STDIO } from './stdio/link.js';

/** Let a version of the project answer MCP requests over the runtime's transport. */
export async function serveOffering(
  { offering, endpoint }: { readonly offering: Offering; readonly endpoint: Endpoint },
  serving: Serving,
  settings: McpSettings,
): Promise<void> {
  const { runtime, project, onStart } = serving;
  const peers = peersOf(runtime);
  checkSessions(settings.sessions, peers);
  const hub = await runtime.getOrCreate('mcp.hub', () => {
    const info = serverInfo(project, settings, offering, runtime.reloads);
    const made = new Hub(info, keyOf(settings.secret ?? process.env.MCP_SECRET ?? peers.secret('mcp')));
    made.connect(peers);
    return made;
  });
  if (runtime.transport.kind === STDIO.kind) {
    const { serveStdio } = await import('./stdio/serve.js');
    return serveStdio(hub, offering, serving, settings);
  }
  if (!servesHttp(runtime)) return;
  const connections = await runtime.getOrCreate(
    'mcp.connections',
    () => new Connections(hub, settings, project),
  );
  endpoint.serve(connections);
  onStart(async () => {
    hub.serve(offering);
    // Runs before the server, which was registered earlier, waits for streams that would not end.
    const server = await serverOf(runtime);
    await runtime.getOrCreate('mcp.closer', () => {
      runtime.onClose(() => connections.hangUp());
      server.onRetire(() => connections.hangUp());
    });
  });
}

/** Sessions exist only in one process, and another may receive the next request. Throws BootError. */
function checkSessions(sessions: boolean | 'sticky', { count, span }: Peers): void {
  const refuse = (others: string, one: string, remedy: string) => {
    const message = `MCP sessions do not work with ${others}, because each ${one} has its own sessions. Set mcp: { sessions: false } in fwk.config, or ${remedy}.`;
    throw new BootError({ message, code: 'FWK518' });
  };
  if (sessions !== false && count > 1) refuse(`${count} workers`, 'worker', 'serve with workers: 1');
  if (sessions === true && span === 'machines') refuse('several machines', 'machine', STICKY);
}

const STICKY =
  "'sticky' if the load balancer sends all requests with the same Mcp-Session-Id to the same machine";

/** Derives a key from a secret, which may have any length from 32 characters. */
function keyOf(secret: string): Uint8Array {
  if (secret.length < 32)
    throw new BootError({
      message: 'MCP_SECRET is too short. Give it at least 32 characters.',
      code: 'FWK205',
    });
  return createHash('sha256').update(secret).digest();
}
