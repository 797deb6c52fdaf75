import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ProxyTracerProvider, trace } from '@opentelemetry/api';
import type { Logger } from 'fwkit';
import { BootError } from 'fwkit/plugin';

/** What is used of `@opentelemetry/sdk-node`. */
interface SdkModule {
  readonly NodeSDK: new (settings: {
    readonly instrumentations: readonly never[];
  }) => {
    start(): void;
    shutdown(): Promise<void>;
  };
}

const SDK = '@opentelemetry/sdk-node';

/**
 * Start the SDK where none is registered. Gives a function that sends what waits, and ends it. Throws a BootError where it is not
 * installed.
 */
export async function startSdk(root: string, logger: Logger): Promise<(() => Promise<void>) | undefined> {
  if (isRegistered() || process.env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return undefined;
  const { NodeSDK } = await load(root);
  // This plugin traces what it can see; other instrumentations have to be loaded before what they change.
  const sdk = new NodeSDK({ instrumentations: [] });
  sdk.start();
  return () => sdk.shutdown().catch((thrown) => logger.error('The last traces could not be sent:', thrown));
}

function isRegistered(): boolean {
  const provider = trace.getTracerProvider() as Partial<ProxyTracerProvider>;
  // The one that stands for a provider until there is one.
  return provider.getDelegateTracer === undefined || provider.getDelegateTracer('fwkit') !== undefined;
}

/** The project's own: this package may be linked. */
async function load(root: string): Promise<SdkModule> {
  let file: string;
  try {
    file = createRequire(join(root, 'package.json')).resolve(SDK);
  } catch {
    throw new BootError({
      message: `opentelemetry has nothing that takes its traces. Install ${SDK}, or register an SDK before the app starts, with node --import.`,
      code: 'FWK851',
    });
  }
  const module = (await import(pathToFileURL(file).href)) as { readonly default?: SdkModule } & SdkModule;
  return module.NodeSDK ? module : (module.default ?? module);
}
