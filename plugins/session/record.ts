/** What a session holds between requests. */
export interface Kept {
  /** When it is over, in milliseconds since the epoch. */
  readonly until: number;
  /** JSON by key of `ctx`, each parsed only when it is read. */
  readonly values: Readonly<Record<string, string>>;
}

export const keptText = (kept: Kept): string => JSON.stringify(kept);

/** Read what `keptText` made; undefined when it is over, or something else. */
export function readKept(text: string | null | undefined): Kept | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const kept: Kept = JSON.parse(text);
    return kept.until > Date.now() && typeof kept.values === 'object' ? kept : undefined;
  } catch {
    return undefined;
  }
}
