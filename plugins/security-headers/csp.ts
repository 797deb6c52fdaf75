/** Directives by name: a list of sources, `true` for one without a value, `false` to omit it. */
export type CspDirectives = Readonly<Record<string, readonly string[] | boolean>>;

/** The default policy: the page's own server, data URLs for images and fonts, and inline styles. */
const DEFAULTS: CspDirectives = {
  'default-src': ["'self'"],
  'base-uri': ["'self'"],
  'font-src': ["'self'", 'data:'],
  'form-action': ["'self'"],
  'frame-ancestors': ["'self'"],
  'img-src': ["'self'", 'data:'],
  'object-src': ["'none'"],
  'script-src': ["'self'"],
  'script-src-attr': ["'none'"],
  'style-src': ["'self'", "'unsafe-inline'"],
  // Only over HTTPS: over HTTP it would break the page.
  'upgrade-insecure-requests': true,
};

/** For responses that are not pages, in case a browser shows them as one. */
export const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'";

/** Content Security Policy Level 3, and additional directives that browsers support. */
const NAMES: ReadonlySet<string> = new Set([
  ...Object.keys(DEFAULTS),
  ...[
    'child-src',
    'connect-src',
    'fenced-frame-src',
    'frame-src',
    'manifest-src',
    'media-src',
    'report-to',
    'report-uri',
  ],
  ...[
    'require-trusted-types-for',
    'sandbox',
    'script-src-elem',
    'style-src-attr',
    'style-src-elem',
    'trusted-types',
  ],
  'worker-src',
]);
const LISTLESS: ReadonlySet<string> = new Set(['sandbox', 'trusted-types', 'upgrade-insecure-requests']);
/** Keyword sources must be quoted; without quotes they are host names. */
const KEYWORD =
  /^(?:self|none|unsafe-inline|unsafe-eval|unsafe-hashes|strict-dynamic|report-sample|wasm-unsafe-eval|(?:nonce|sha256|sha384|sha512)-.*)$/;
const WITHOUT_QUOTES: ReadonlySet<string> = new Set([
  'trusted-types',
  'require-trusted-types-for',
  'report-to',
  'sandbox',
]);

export const directivesOf = (...given: readonly CspDirectives[]): CspDirectives =>
  Object.assign({}, DEFAULTS, ...given);

export function cspMistakes(directives: CspDirectives): string[] {
  return Object.entries(directives).flatMap(([name, sources]) => {
    if (!NAMES.has(name))
      return [`has no directive "${name}". The directives are ${[...NAMES].sort().join(', ')}.`];
    if (sources === false || (sources === true && LISTLESS.has(name))) return [];
    if (!Array.isArray(sources))
      return [`needs a list of sources for "${name}", such as ["'self'"], or false.`];
    return sources.flatMap((source: unknown) => sourceMistake(name, source) ?? []);
  });
}

function sourceMistake(name: string, source: unknown): string | undefined {
  if (typeof source !== 'string' || !/^[\x21-\x2b\x2d-\x3a\x3c-\x7e]+$/.test(source))
    return `has ${JSON.stringify(source)} in "${name}". Each source is a separate string without spaces, commas and semicolons.`;
  if (KEYWORD.test(source) && !WITHOUT_QUOTES.has(name))
    return `has "${source}" in "${name}", which would be the name of a host. Write "'${source}'", with single quotes in it.`;
  if (source.startsWith("'nonce-"))
    return `has ${source} in "${name}": a nonce that never changes protects from nothing. Use it.nonce in templates, res.nonce in handlers.`;
  return undefined;
}

export type PolicyText = (nonce: string | undefined) => string;

/** A policy. Scripts and styles get the nonce, unless it would disable their 'unsafe-inline'. */
export function policyText(directives: CspDirectives, secure: boolean): PolicyText {
  const kept = Object.entries(directives).filter(
    ([name, sources]) => sources !== false && (secure || name !== 'upgrade-insecure-requests'),
  );
  const write = (nonce: string): string =>
    withSources(kept, nonce === '' ? [] : [`'nonce-${nonce}'`])
      .map(([name, sources]) =>
        Array.isArray(sources) && sources.length > 0 ? `${name} ${sources.join(' ')}` : name,
      )
      .join('; ');
  const plain = write('');
  // The position of the nonce is computed once.
  const parts = write(MARK).split(MARK);
  return (nonce) => (nonce === undefined ? plain : parts.join(nonce));
}

const MARK = '\0';

type Entries = readonly (readonly [name: string, sources: readonly string[] | boolean])[];

function withSources(entries: Entries, more: readonly string[]): Entries {
  if (more.length === 0) return entries;
  const fallback = entries.find(([name]) => name === 'default-src')?.[1];
  const added: Entries = (['script-src', 'style-src'] as const)
    .filter((name) => !entries.some(([one]) => one === name) && Array.isArray(fallback))
    .map((name) => [name, fallback ?? []]);
  return [...entries, ...added].map(([name, sources]) =>
    /^(?:script|style)-src(?:-elem)?$/.test(name) &&
    Array.isArray(sources) &&
    !sources.includes("'unsafe-inline'")
      ? [name, [...sources.filter((one) => one !== "'none'"), ...more]]
      : [name, sources],
  );
}
