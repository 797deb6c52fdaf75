/** What an Accept-Encoding header wants, of some codings. */
export interface ChosenCoding<Name extends string> {
  /** The one to send; undefined: none. */
  readonly name: Name | undefined;
  /** Whether the client refuses a body that is not coded. */
  readonly isRequired: boolean;
}

/**
 * The coding of `names` that a client wants most, by an Accept-Encoding header (RFC 9110 §12.5.3); of several that it wants
 * alike the first in `names`. None where it wants a body as it is more than any of them.
 */
export function chooseCoding<Name extends string>(
  header: string | undefined,
  names: readonly Name[],
): ChosenCoding<Name> {
  if (header === undefined || header === '') return NONE;
  const weights = new Map(header.toLowerCase().split(',').map(readWeight));
  const others = weights.get('*');
  let chosen: Name | undefined;
  let best = 0;
  for (const name of names) {
    const weight = weights.get(name) ?? (name === 'gzip' ? weights.get('x-gzip') : undefined) ?? others ?? 0;
    if (weight > best) {
      best = weight;
      chosen = name;
    }
  }
  // Acceptable unless it is refused, by its name or with all others.
  const identity = weights.get('identity') ?? (others === 0 ? 0 : undefined);
  if (identity !== undefined && identity > best) return NONE;
  return { name: chosen, isRequired: identity === 0 };
}

const NONE = { name: undefined, isRequired: false };

/** `gzip;q=0.5`. A weight that is not a number counts as 0. */
function readWeight(item: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = item.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter));
  if (weight === undefined) return [coding, 1];
  return [coding, Number(weight.slice(weight.indexOf('=') + 1)) || 0];
}
