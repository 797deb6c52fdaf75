import { pathToFileURL } from 'node:url';
import type { Emitted } from './transform.js';

/** Whether Node writes down at its end which code of this process ran: for `c8`, `node --test` and their like. */
export const covered = (): boolean => Boolean(process.env.NODE_V8_COVERAGE);

export const mapped = (): boolean => covered() || debuggable();

const debuggable = (): boolean =>
  // Node can be built without it.
  process.features.inspector && process.getBuiltinModule('node:inspector').url() !== undefined;

/**
 * The comment that leads from the script of `file` to its text; the emitted code begins after `head` lines.
 * Script and source have one URL, which is what debuggers expect of code that is transformed as it is loaded.
 */
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
