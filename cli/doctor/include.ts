import { isObject } from '../../kernel/internal.js';

/**
 * The text of a tsconfig.json with `pattern` added to its `include`, and nothing else changed; undefined where that cannot be done for
 * certain.
 */
export function includedIn(text: string, pattern: string): string | undefined {
  const before = read(text);
  const list = before?.include;
  if (!before || !Array.isArray(list) || list.length === 0) return undefined;
  const after = text.replace(
    /("include"\s*:\s*\[)([^[\]]*?)(,?\s*)\]/,
    (_, begin: string, items: string, end: string) =>
      `${begin}${items}, ${JSON.stringify(pattern)}${end.replace(',', '')}]`,
  );
  const read2 = read(after);
  const expected = { ...before, include: [...list, pattern] };
  return JSON.stringify(read2) === JSON.stringify(expected) ? after : undefined;
}

/** JSON in which comments and commas after the last member are allowed. */
function read(text: string): Record<string, unknown> | undefined {
  try {
    const bare = text.replace(/^\uFEFF/, '').replace(/("(?:\\.|[^"\\])*")|\/\/.*|\/\*[\s\S]*?\*\//g, '$1');
    const value: unknown = JSON.parse(bare.replace(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, '$1'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
