import type { Site } from './served.js';

/** Waits from reload to reload until the path answers so: one save may be seen as more than one change. */
export async function shows(
  site: Pick<Site, 'dev' | 'raw'>,
  path: string,
  expected: unknown,
  from: number,
): Promise<void> {
  for (let after = from; ; ) {
    const { index, 0: text } = await site.dev.waitFor(/reloaded/, after);
    after += index + text.length;
    const { status, text: body } = await site.raw(path);
    const answer = status === 200 ? JSON.parse(body) : status;
    if (answer === expected) return;
  }
}

/** Changes files and waits until the path answers as expected. */
export async function edit(
  site: Pick<Site, 'dev' | 'raw'>,
  change: () => unknown,
  path: string,
  expected: unknown,
): Promise<void> {
  const from = site.dev.output.mark();
  await change();
  await shows(site, path, expected, from);
}

/** The number of changed modules of each reload since `from`, including reloads that found no code changed. */
export function reloads(site: Site, from: number): string[] {
  const lines = /^(?:reloaded )?(.*?)(?: \(\d+ modules\))?(?: in \d+ ms|: no code changed)$/gm;
  return [...site.dev.output.all.slice(from).matchAll(lines)].map(([, names]) => names ?? '');
}
