/** Content codings of precompressed files (RFC 9110 §8.4.1), the one to prefer first, and what their names end in. */
export const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const;

export type Encoding = (typeof ENCODINGS)[number];

/** The first of `encodings` that an Accept-Encoding header lets in (RFC 9110 §12.5.3). */
export function chooseEncoding(
  header: string | undefined,
  encodings: readonly Encoding[],
): Encoding | undefined {
  if (header === undefined || encodings.length === 0) return undefined;
  const weights = new Map(header.toLowerCase().split(',').map(readWeight));
  return encodings.find(({ name }) => (weights.get(name) ?? weights.get('*') ?? 0) > 0);
}

/** `gzip;q=0.5` */
function readWeight(item: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = item.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  return [coding, weight === undefined ? 1 : Number(weight.slice(2))];
}
