import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  BootError,
  consoleLogger,
  describeProblem,
  type Logger,
  nativeLoader,
  Shell,
} from '../kernel/host.js';
import { type Config, openKernel } from './open.js';

export interface BootstrapOptions extends Config {
  /** Default: the environment's `HOST`, else every interface. */
  readonly host?: string;
  /** Default: the environment's `PORT`, else 3000. */
  readonly port?: number;
  readonly logger?: Logger;
}

/**
 * Serve the compiled project that the entry file is in, until SIGINT or SIGTERM. Resolves with its addresses once it
 * listens; ends the process with 1 and a sentence per problem where it cannot.
 */
export async function bootstrap(options: BootstrapOptions = {}): Promise<readonly string[]> {
  const { host, port, logger = consoleLogger, ...override } = options;
  process.env.NODE_ENV ??= 'production';
  const mode = process.env.NODE_ENV;
  try {
    const entry = realpathSync(process.argv[1] ?? '.');
    // Stacks then point into the sources. Thrown errors cost nothing more; reading a stack takes 11 µs instead of 4.
    if (existsSync(`${entry}.map`)) process.setSourceMapsEnabled(true);
    const source = dirname(entry);
    const place = { root: packageRoot(source), source };
    const kernel = await openKernel({ place, mode, loader: nativeLoader(), logger, override });
    const shell = new Shell(
      'http',
      host ?? process.env.HOST ?? '::',
      port ?? Number(process.env.PORT ?? 3000),
      false,
    );
    const served = await kernel.serve(shell);
    const stop = (): void => void shell.close().then(() => served.close());
    process.once('SIGINT', stop).once('SIGTERM', stop);
    return shell.urls;
  } catch (thrown) {
    if (!(thrown instanceof BootError)) throw thrown;
    for (const problem of thrown.problems) console.error(describeProblem(problem));
    process.exit(1);
  }
}

/** The nearest directory above the compiled tree that has a package.json: views/ and public/ are there. */
function packageRoot(source: string): string {
  for (let directory = source; ; directory = dirname(directory)) {
    if (existsSync(join(directory, 'package.json'))) return directory;
    if (dirname(directory) === directory) return source;
  }
}
