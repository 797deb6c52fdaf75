import { BootError, type Place, Shell } from '../kernel/host.js';
import { stdioLink } from '../plugins/mcp/index.js';
import { untilStopped } from '../plugins/signals.js';
import { NO_SURFACE } from './report.js';
import { serveLive } from './serve-live.js';
import { reserveStdout } from './stdout.js';

/** Serve the sources to the MCP client at stdin and stdout, and reload them on change, until it goes. */
export async function serveStdio(place: Place): Promise<void> {
  const output = reserveStdout();
  const shell = new Shell('stdio', 'localhost', 0, true);
  const link = await stdioLink(shell, output);
  const serving = await serveLive(place, shell);
  if (!link.isConnected) throw new BootError({ message: NO_SURFACE });
  await Promise.race([link.ended, untilStopped()]);
  await serving.close();
  await new Promise<void>((resolve) => output.end(resolve));
}
