import { type OptionValues, option } from '../../kernel/index.js';

/** Content codings (RFC 9110 §8.4.1, RFC 8878): `zstd` where Node has it, from 22.15 and 23.8. */
export type CodingName = 'zstd' | 'br' | 'gzip';

const NAMES: readonly unknown[] = ['zstd', 'br', 'gzip'] satisfies CodingName[];

export const compressionOptions = {
  /** Whether responses are compressed. `compression: true`, or another of its options, says so. */
  enabled: option.boolean(false),
  /** Bytes from which a body is compressed, where its length is known. */
  threshold: option.whole(1024, { unit: 'bytes' }),
  /** The codings that there are; of those that a client wants alike, the first one. Node may not have `zstd`: then it is left out. */
  codings: option.custom<readonly CodingName[]>(
    ['zstd', 'br', 'gzip'],
    'a list of "zstd", "br" and "gzip"',
    (value): value is readonly CodingName[] =>
      Array.isArray(value) && value.length > 0 && value.every((name) => NAMES.includes(name)),
  ),
  /** Whether event streams are compressed, each event by itself. */
  events: option.boolean(false),
};

export type CompressionSettings = Omit<OptionValues<typeof compressionOptions>, 'enabled'>;
