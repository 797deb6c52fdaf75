/** Content codings of precompressed files (RFC 9110 §8.4.1), the one to prefer first, and what their names end in. */
export const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'zstd', suffix: '.zst' },
  { name: 'gzip', suffix: '.gz' },
] as const;

export type Encoding = (typeof ENCODINGS)[number];
