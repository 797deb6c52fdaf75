type Directive = readonly [name: string, ...sources: string[]];

/** These forbid what is inline, whatever else is said of it (CSP 3 §6.7.3.2). */
const STRICT = /^'(?:nonce-|sha(?:256|384|512)-|strict-dynamic')/i;

/**
 * The value of a Content-Security-Policy that allows the script with this hash and connections to this address beside what it
 * allowed, and nothing else.
 */
export const allowing = (value: string, hash: string, address: string | undefined): string =>
  value
    .split(',')
    .map((policy) => {
      const directives = directivesOf(policy);
      const scripts = withSource(directives, ['script-src-elem', 'script-src'], hash, allowsInline);
      const all =
        address === undefined ? scripts : withSource(scripts, ['connect-src'], address, allowsServer);
      return all.map((directive) => directive.join(' ')).join('; ');
    })
    .join(', ');

const directivesOf = (policy: string): readonly Directive[] =>
  policy.split(';').flatMap((directive): Directive[] => {
    const [name = '', ...sources] = directive.trim().split(/\s+/);
    return name === '' ? [] : [[name, ...sources]];
  });

/** `source` in the first directive of these names, or in a new one that has the sources of `default-src`. */
function withSource(
  directives: readonly Directive[],
  names: readonly [string, ...string[]],
  source: string,
  isAllowed: (sources: readonly string[]) => boolean,
): readonly Directive[] {
  const named = (name: string) => directives.find(([one]) => one.toLowerCase() === name);
  const own = names.map(named).find((one) => one !== undefined);
  const [name, ...sources] = own ?? named('default-src') ?? [''];
  if (name === '' || isAllowed(sources)) return directives;
  const all = [...sources.filter((one) => one.toLowerCase() !== "'none'"), source];
  return own
    ? directives.map((one) => (one === own ? [name, ...all] : one))
    : [...directives, [names[0], ...all]];
}

const allowsInline = (sources: readonly string[]): boolean =>
  sources.some((one) => one.toLowerCase() === "'unsafe-inline'") && !sources.some((one) => STRICT.test(one));

const allowsServer = (sources: readonly string[]): boolean =>
  sources.some((one) => one === '*' || one.toLowerCase() === "'self'");
