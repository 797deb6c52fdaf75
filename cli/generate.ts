import { type Kernel, type Place, type Written, write } from '../kernel/host.js';

const told = new Set<string>();

/** Generate and write the files of `target`. Warnings go to stderr, each once per process. */
export async function generate(kernel: Kernel, place: Place, target: string): Promise<Written[]> {
  const { outputs, warnings } = await kernel.generate(target);
  for (const warning of warnings) {
    if (!told.has(warning)) console.error(warning);
    told.add(warning);
  }
  return write(place.root, outputs);
}
