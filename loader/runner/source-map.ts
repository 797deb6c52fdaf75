import { pathToFileURL } from 'node:url';
import type { Emitted } from './transform.js';

/** Whether Node records the coverage of this process when it exits: for `c8`, `node --test` and similar tools. */
export const covered = (): boolean => Boolean(process.env.NODE_V8_COVERAGE);

export const mapped = (): boolean => covered() || debuggable();

const debuggable = (): boolean =>
  // Node can be built without the inspector.
  process.features.inspector && process.getBuiltinModule('node:inspector').url() !== undefined;

/** The comment that links the script of `file` to its text. The code begins after `head` lines. Both have one URL, as debuggers expect. */
export async function sourceMapComment(
  file: string,
  text: string,
  { maps }: Emitted,
  head: number,
): Promise<string> {
  const { default: remapping } = await import('@jridgewell/remapping');
  const { mappings, names } = remapping(
    maps.map(({ payload }) => ({ ...payload, version: 3 })),
    () => null,
  );
  const map = {
    version: 3,
    sources: [pathToFileURL(file).href],
    sourcesContent: [text],
    names,
    mappings: `${';'.repeat(head)}${mappings}`,
  };
  const encoded = Buffer.from(JSON.stringify(map)).toString('base64');
  return `//# sourceMappingURL=data:application/json;base64,${encoded}`;
}
