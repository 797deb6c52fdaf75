import type { Serving, Shell } from '../../../kernel/index.js';
import { Guest } from '../../context/index.js';
import { Exchange, type Surface } from '../calls/exchange.js';
import { noteFailures } from '../calls/failure.js';
import type { Hub } from '../hub.js';
import { openSdk } from '../sdk/server.js';
import { Visitor } from '../visitor.js';
import { stdioLink } from './link.js';
import { StdioWire, type WireLimits } from './transport.js';

/** Have a generation answer the client at stdin and stdout, who is one visitor. */
export async function serveStdio(
  hub: Hub,
  surface: Surface,
  { shell, onTakeOver, onClose }: Serving,
  limits: WireLimits,
): Promise<void> {
  const calls = new Calls();
  onClose(() => calls.done());
  running.set(surface, calls);
  onTakeOver(async () => {
    hub.take(surface);
    await shell.keep('mcp.wire', () => connect(hub, shell, limits));
  });
}

async function connect(hub: Hub, shell: Shell, limits: WireLimits): Promise<void> {
  const link = await stdioLink(shell);
  const values = new Map<string, unknown>();
  const guest = new Guest(new Visitor(() => values), 'an MCP call over stdio');
  const sdk = await openSdk(hub, noteFailures(hub.surface.project), async () => {
    // A call waits for the generation that is being made, as a request does.
    while (shell.reloading) await shell.reloading;
    const { surface } = hub;
    const scope = surface.project.scopes.open(guest);
    const finish = running.get(surface)?.begin();
    return {
      exchange: new Exchange(surface, scope.ctx, undefined, undefined),
      async close() {
        await scope.close();
        finish?.();
      },
    };
  });
  const wire = new StdioWire(process.stdin, link.output, limits);
  await sdk.serveStdio(wire, wire.budget);
  // What still runs is aborted: nobody would hear its answer.
  shell.onClose(() => wire.close());
  link.isConnected = true;
  // The SDK has set its own by now.
  const { onclose } = wire;
  wire.onclose = () => {
    onclose?.();
    link.end();
  };
}

const running = new WeakMap<Surface, Calls>();

/** Calls that one generation has begun. */
class Calls {
  #count = 0;
  #idle: (() => void) | undefined;

  begin(): () => void {
    this.#count += 1;
    return () => {
      this.#count -= 1;
      if (this.#count === 0) this.#idle?.();
    };
  }

  async done(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resolve) => (this.#idle = resolve));
  }
}
