import { createHash, randomBytes } from 'node:crypto';
import { BootError, type Serving } from '../../kernel/index.js';
import type { Surface } from './calls/exchange.js';
import { type ConnectionLimits, Connections } from './http/connections.js';
import type { Endpoint } from './http/endpoint.js';
import { Hub } from './hub.js';
import { type ServerSettings, serverFacts } from './server-info.js';

export interface ServeSettings extends ServerSettings, ConnectionLimits {
  readonly sessions: boolean;
  /** Bytes of one message. */
  readonly bodyLimit: number;
  readonly secret: string | undefined;
}

/** Have a generation answer MCP, over what the shell serves over. */
export async function serveSurface(
  { surface, endpoint }: { readonly surface: Surface; readonly endpoint: Endpoint },
  serving: Serving,
  settings: ServeSettings,
): Promise<void> {
  const { shell, project, onTakeOver } = serving;
  if (settings.sessions && shell.peers && shell.peers.count > 1) throw sessionsApart(shell.peers.count);
  const hub = await shell.keep('mcp.hub', () => {
    const facts = serverFacts(project, settings, surface.table, shell.reloads);
    const made = new Hub(facts, keyOf(settings.secret ?? process.env.MCP_SECRET ?? shell.peers?.secret));
    if (shell.peers) made.join(shell.peers);
    return made;
  });
  if (shell.transport === 'stdio') {
    const { serveStdio } = await import('./stdio/serve.js');
    return serveStdio(hub, surface, serving, settings);
  }
  if (shell.transport !== 'http' && shell.transport !== 'embedded') return;
  const connections = await shell.keep('mcp.connections', () => new Connections(hub, settings, project));
  endpoint.serve(connections);
  onTakeOver(async () => {
    hub.take(surface);
    // Registered after the server of HTTP, to run before that waits for streams which nobody ends.
    await shell.keep('mcp.closer', () => shell.onClose(() => connections.hangUp()));
  });
}

/** A session is in the process that began it, and the next request may go to another. */
const sessionsApart = (count: number): BootError =>
  new BootError({
    message: `MCP sessions do not work with ${count} workers, since each has its own. Set mcp: { sessions: false } in fwk.config, or serve with workers: 1.`,
  });

/** Secrets may be of any length from 32 characters. */
function keyOf(secret: string | undefined): Uint8Array {
  if (secret === undefined) return randomBytes(32);
  if (secret.length < 32)
    throw new BootError({ message: 'MCP_SECRET is too short. Give it at least 32 characters.' });
  return createHash('sha256').update(secret).digest();
}
