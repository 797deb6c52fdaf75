import { setTimeout } from 'node:timers/promises';
import { Signals } from '../../app/signals.js';
import { BootError, type Place, Shell } from '../../kernel/host.js';
import { stdioLink } from '../../plugins/mcp/index.js';
import { NO_SURFACE } from '../terminal/report.js';
import { reserveStdout } from '../terminal/reserve-stdout.js';
import { serveLive } from './serve.js';

/**
 * How long the end may take once the client has gone and its calls are aborted, in milliseconds: together with the wait
 * for last answers less than a second, after which clients send signals (MCP 2025-11-25, Lifecycle, Shutdown).
 */
const LAST = 150;

/** Serve the sources to the MCP client at stdin and stdout, and reload them on change, until it goes. */
export async function serveStdio(place: Place): Promise<void> {
  const signals = new Signals();
  const output = reserveStdout();
  const shell = new Shell('stdio', 'localhost', 0, true);
  const link = await stdioLink(shell, output);
  const serving = await serveLive(() => place, shell);
  if (!link.isConnected) throw new BootError({ message: NO_SURFACE });
  await Promise.race([link.ended, signals.stopped()]);
  await Promise.race([serving.close(), setTimeout(LAST)]);
  await Promise.race([new Promise<void>((resolve) => output.end(resolve)), setTimeout(LAST)]);
}
