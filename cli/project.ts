import {
  consoleLogger,
  type Kernel,
  type Loader,
  type Logger,
  locate,
  type Place,
  sourceLoader,
} from '../kernel/host.js';
import { CONVENTION_DIRECTORIES } from '../plugins/builtins.js';
import { openKernel } from '../plugins/open.js';
import type { Flags } from './command.js';

/** The project that `--dir` names. */
export const placeOf = (flags: Flags): Place => locate(String(flags.dir), CONVENTION_DIRECTORIES);

/** A kernel that runs the project's sources as they are, in development mode unless NODE_ENV says otherwise. */
export function openSources(
  place: Place,
  logger: Logger = consoleLogger,
  loader: Loader = sourceLoader(place.root),
): Promise<Kernel> {
  process.env.NODE_ENV ??= 'development';
  return openKernel({ place, mode: process.env.NODE_ENV, loader, logger });
}
