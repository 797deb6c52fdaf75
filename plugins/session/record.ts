/** The data of a session between requests. */
export interface SessionRecord {
  /** When it expires, in milliseconds since the epoch. */
  readonly until: number;
  /** JSON by key of `ctx`, each parsed only when it is read. */
  readonly values: Readonly<Record<string, string>>;
}

export const recordText = (record: SessionRecord): string => JSON.stringify(record);

/** Read the text of `recordText`; undefined for an expired record and for any other text. */
export function readRecord(text: string | null | undefined): SessionRecord | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const record: SessionRecord = JSON.parse(text);
    return record.until > Date.now() && typeof record.values === 'object' ? record : undefined;
  } catch {
    return undefined;
  }
}
