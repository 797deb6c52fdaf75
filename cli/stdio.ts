import { BootError, type Place, Shell, untilStopped } from '../kernel/host.js';
import { stdioLink } from '../plugins/mcp/index.js';
import { Live } from './live.js';
import { NO_SURFACE } from './report.js';
import { reserveStdout } from './stdout.js';
import { watch } from './watch.js';

/** Serve the sources to the MCP client at stdin and stdout, and reload them on change, until it goes. */
export async function serveStdio(place: Place): Promise<void> {
  const output = reserveStdout();
  const shell = new Shell('stdio', 'localhost', 0, true);
  const link = await stdioLink(shell, output);
  const live = new Live(place, shell);
  let start = (): void => {};
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });
  // Watched before anything is answered: what a client saves right after its first call must not be missed.
  const watcher = await watch(
    place,
    (files) => void started.then(() => live.reload(files)),
    (file) => live.uses(file),
  );
  await live.start();
  start();
  if (!link.isConnected) throw new BootError({ message: NO_SURFACE });
  await Promise.race([link.ended, untilStopped()]);
  await watcher.close();
  await shell.close();
  await live.close();
  await new Promise<void>((resolve) => output.end(resolve));
}
