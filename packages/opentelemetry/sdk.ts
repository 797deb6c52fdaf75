import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ProxyTracerProvider, trace } from '@opentelemetry/api';
import type { Logger } from 'fwkit';
import { BootError } from 'fwkit/plugin';

/** The used members of `@opentelemetry/sdk-node`. */
interface SdkModule {
  readonly NodeSDK: new (settings: {
    readonly instrumentations: readonly never[];
  }) => {
    start(): void;
    shutdown(): Promise<void>;
  };
}

const SDK = '@opentelemetry/sdk-node';

/** Start the SDK if none is registered. Returns a function that sends pending spans and shuts it down. Throws BootError without an SDK. */
export async function startSdk(root: string, logger: Logger): Promise<(() => Promise<void>) | undefined> {
  if (isRegistered() || process.env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return undefined;
  const { NodeSDK } = await load(root);
  // No instrumentations, because they have to be loaded before the modules that they instrument.
  const sdk = new NodeSDK({ instrumentations: [] });
  sdk.start();
  return () => sdk.shutdown().catch((thrown) => logger.error('Cannot send the last traces:', thrown));
}

function isRegistered(): boolean {
  const provider = trace.getTracerProvider() as Partial<ProxyTracerProvider>;
  // A proxy without a delegate means that no provider is registered.
  return provider.getDelegateTracer === undefined || provider.getDelegateTracer('fwkit') !== undefined;
}

/** Load the SDK from the project instead of this package, which may be linked. */
async function load(root: string): Promise<SdkModule> {
  let file: string;
  try {
    file = createRequire(join(root, 'package.json')).resolve(SDK);
  } catch {
    throw new BootError({
      message: `opentelemetry() found no SDK to send its traces to. Install ${SDK}, or register an SDK with node --import before the app starts.`,
      code: 'FWK851',
    });
  }
  const module = (await import(pathToFileURL(file).href)) as { readonly default?: SdkModule } & SdkModule;
  return module.NodeSDK ? module : (module.default ?? module);
}
