import type { Runtime, Serving } from '../../../kernel/index.js';
import { Guest } from '../../context/index.js';
import { maxJsonDepthOf } from '../../http/index.js';
import { ActiveCalls } from '../calls/active-calls.js';
import { CallContext, type Offering } from '../calls/call-context.js';
import { logFailures } from '../calls/failure.js';
import type { Hub } from '../hub.js';
import { openSdk } from '../sdk/server.js';
import { Visitor } from '../visitor.js';
import { stdioLink } from './link.js';
import { StdioTransport, type TransportLimits } from './transport.js';

/** Have a version answer the client at stdin and stdout, which is one visitor. */
export async function serveStdio(
  hub: Hub,
  offering: Offering,
  { runtime, onStart, onClose }: Serving,
  given: Omit<TransportLimits, 'maxJsonDepth'>,
): Promise<void> {
  const limits = { ...given, maxJsonDepth: maxJsonDepthOf(offering.project) };
  onClose(() => callsOf(offering).idle());
  onStart(async () => {
    hub.serve(offering);
    await runtime.getOrCreate('mcp.transport', () => connect(hub, runtime, limits));
  });
}

async function connect(hub: Hub, runtime: Runtime, limits: TransportLimits): Promise<void> {
  const link = await stdioLink(runtime);
  const values = new Map<string, unknown>();
  const guest = new Guest(new Visitor(() => values), 'an MCP call over stdio');
  const sdk = await openSdk(hub, logFailures(hub.offering.project), async () => {
    // The system may report a message before the save that came first; both have been noticed one turn later.
    await new Promise(setImmediate);
    // A call waits for the version that is being made, as a request does.
    while (runtime.reloading) await runtime.reloading;
    const { offering } = hub;
    const scope = offering.project.scopes.open(guest);
    const finish = callsOf(offering).begin();
    return {
      context: new CallContext(offering, scope.ctx, undefined, undefined, undefined),
      async close() {
        await scope.close();
        finish();
      },
    };
  });
  const transport = new StdioTransport(process.stdin, link.output, limits);
  await sdk.serveStdio(transport, transport.budget);
  // Calls that still run are aborted: nothing could receive their answers.
  runtime.onClose(() => transport.close());
  link.isConnected = true;
  // The SDK has set its own by now.
  const { onclose } = transport;
  transport.onclose = () => {
    onclose?.();
    link.end();
  };
}

/** The calls that one version has begun. */
const callsOf = ({ project }: Offering): ActiveCalls => project.slot('mcp.calls', () => new ActiveCalls());
