import type { Kernel, Output, Place } from '../kernel/host.js';
import type { Flags } from './command.js';
import { type Written, write } from './write.js';

const told = new Set<string>();

/** Generate and write the files of `target` that are `wanted`. Warnings go to stderr, each once per process. */
export async function generate(
  kernel: Kernel,
  place: Place,
  target: string,
  flags: Flags = {},
  wanted: (output: Output) => boolean = () => true,
): Promise<Written[]> {
  const { outputs, warnings } = await kernel.generate(target, flags);
  for (const warning of warnings) {
    if (!told.has(warning)) console.error(warning);
    told.add(warning);
  }
  return write(place.root, outputs.filter(wanted), flags.force === true);
}
