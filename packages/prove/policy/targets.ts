import { isHttpRoute, METHOD_OF_SUFFIX, Router } from 'fwkit/http';
import type { BaseRoute } from 'fwkit/plugin';
import picomatch from 'picomatch';
import { routeOfTool } from '../graph/endpoints.js';
import type { Selected, Target } from './findings.js';
import { bare } from './guards.js';
import type { RuleData } from './rule.js';

const NO_ROUTE = 'none';

export const targetsOf = (routes: readonly BaseRoute[]): readonly Target[] =>
  routes.flatMap((route): Target[] => {
    if (!isHttpRoute(route) || route.kind === NO_ROUTE) return [];
    const { label, kind, file, method, path, meta, chain = [], members = [] } = route;
    const own = { label, kind, file, method, path, meta: { ...meta }, chain, route };
    const inner = members.map((member): Target => {
      const { label, kind, file } = member;
      const around = routeOfTool(file, routes)?.chain ?? [];
      return { ...own, label, kind, file, meta: {}, chain: [...new Set([...chain, ...around])], member };
    });
    return [own, ...inner];
  });

/** The path of a file without groups, which URLs don't have: `api/admin/x.get`. */
const withoutGroups = (path: string): string => path.replace(/(?<=^|\/)\([^()/]+\)\//g, '');
const toolPath = (file: string): string => bare(file).replace(/^mcp\/tools\//, '');
const isSocket = ({ kind, member }: Target): boolean => kind === 'ws' && member === undefined;
export const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether a request may change something (RFC 9110 §9.2.1). `ALL` is any method. */
const isMutation = (target: Target): boolean =>
  target.member === undefined && !isSocket(target) && !SAFE.has(target.method);

const METHODS: Readonly<Record<string, readonly string[]>> = {
  GET: ['GET', 'HEAD'],
  ALL: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'],
};

const MAX_URLS = 500;

const OF_SORT = {
  sockets: isSocket,
  mutations: isMutation,
  tools: ({ kind, member }: Target) => member !== undefined && kind === 'tool',
} as const;

/** Everything that a client can reach, and how patterns match it. */
export class Table {
  readonly #router = new Router<Target>();
  readonly #paths = new Map<Target, readonly string[]>();
  #depth = 0;

  constructor(readonly targets: readonly Target[]) {
    for (const target of targets) {
      this.#paths.set(target, pathsOf(target));
      if (target.member) continue;
      this.#router.add({ method: target.method as 'GET', path: target.path }, target);
      this.#depth = Math.max(this.#depth, target.path.split('/').length - 1);
    }
  }

  select(rule: RuleData): readonly Selected[] {
    const { selector, pattern } = rule;
    if (selector === 'everything') return this.targets;
    if (selector === 'under') return this.#under(pattern);
    const isMeant = this.matching(rule, pattern);
    const isOfSort = OF_SORT[selector];
    return this.targets.filter((target) => isOfSort(target) && isMeant(target));
  }

  matching({ selector }: RuleData, pattern: string): (target: Target) => boolean {
    const matches = matcherOf(pattern);
    if (selector === 'tools') return ({ file }) => matches(toolPath(file));
    return (target) => (this.#paths.get(target) ?? pathsOf(target)).some(matches);
  }

  /** By file or URL, and routes that answer a URL below the pattern, unless the pattern matches files only. */
  #under(pattern: string): readonly Selected[] {
    const matches = matcherOf(pattern);
    const own = new Set(this.targets.filter((target) => this.#paths.get(target)?.some(matches)));
    const isOfFiles = own.size > 0 && ![...own].some((target) => !target.member && matches(urlOf(target)));
    if (isOfFiles) return [...own];
    return this.targets.flatMap((target): Selected[] => {
      if (own.has(target)) return [target];
      const witness = this.#witness(pattern, target);
      return witness === undefined ? [] : [{ ...target, witness }];
    });
  }

  /** A URL path below `pattern` that the target answers, and no other route does. */
  #witness(pattern: string, target: Target): string | undefined {
    const { path, method, member } = target;
    if (member || !(path.includes('/:') || path.includes('/*'))) return undefined;
    const methods = METHODS[method] ?? [method];
    let left = MAX_URLS;
    for (const url of witnesses(pattern, path, this.#depth)) {
      if (left-- === 0) return undefined;
      if (methods.some((one) => this.#answers(one, url) === target)) return url;
    }
    return undefined;
  }

  #answers(method: string, url: string): Target | undefined {
    const found = this.#router.find(method, url);
    return typeof found === 'object' && 'value' in found ? found.value : undefined;
  }
}

const urlOf = ({ path }: Target): string => path.slice(1);

const SUFFIX = new RegExp(`[./](${Object.keys(METHOD_OF_SUFFIX).join('|')})$`);

/** The texts of a target that patterns match: its file, also without its method and without groups, and the URL of a route. */
function pathsOf(target: Target): readonly string[] {
  const file = bare(target.file);
  const files = target.member ? [file] : [file, file.replace(SUFFIX, '')];
  return [...new Set([...files, ...files.map(withoutGroups), ...(target.member ? [] : [urlOf(target)])])];
}

type Matches = (path: string) => boolean;

/** Escapes brackets and groups, which are literal names of files: `[id]` and `(open)`. */
const literal = (pattern: string): string =>
  pattern
    .split('/')
    .map((segment) => (/^\([^()|]+\)$/.test(segment) ? `\\(${segment.slice(1, -1)}\\)` : segment))
    .join('/')
    .replace(/[[\]]/g, '\\$&')
    // picomatch doesn't always treat a repeated `**` as one.
    .replace(/\*\*(?:\/\*\*)+/g, '**');

/** Returns whether `pattern` matches a path without a leading slash. `a/**` also matches `a`, which picomatch doesn't always do. */
export function matcherOf(pattern: string): Matches {
  if (pattern === '**') return () => true;
  const glob = literal(pattern);
  const matches = picomatch(glob.endsWith('/**') ? [glob, glob.slice(0, -3)] : glob, { dot: true });
  // Rejects most paths early: a thousand routes and twenty rules are tens of thousands of matches.
  const beginning = /^[^*?{}!@+|()\\]*/.exec(pattern)?.[0].replace(/\/$/, '') ?? '';
  return (path) => path.startsWith(beginning) && matches(path);
}

const isPlain = (segment: string): boolean => !/[*?{}!@+|]/.test(segment);

/** Expands braces: `{a,b}/c` becomes `a/c` and `b/c`. */
function expandBraces(pattern: string): readonly string[] {
  const [whole, before = '', inside = '', after = ''] = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/.exec(pattern) ?? [];
  if (whole === undefined) return [pattern];
  return inside.split(',').flatMap((one) => expandBraces(before + one + after));
}

/** The pattern for each alternative of its braces: `api/{a,b}` has `a` for `api/a`. Braces inside braces, or with an empty alternative, have none. */
export const alternativesOf = (pattern: string): ReadonlyMap<string, string> =>
  new Map(
    [...pattern.matchAll(/\{([^{},]+(?:,[^{},]+)+)\}/g)].flatMap(({ 0: group, 1: inside = '', index }) =>
      inside
        .split(',')
        .map((part) => [part, pattern.slice(0, index) + part + pattern.slice(index + group.length)] as const),
    ),
  );

/** A segment for a parameter. No route has it as a literal segment. */
const ANY = 'zz';
const MAX_DEPTH = 12;

/** A text that a segment of a pattern matches, if one is found. */
function samples(segment: string): readonly string[] {
  if (isPlain(segment)) return [segment];
  const text = segment
    .replace(/[@+*?!]\(([^()|]*)[^()]*\)/g, '$1')
    .replace(/\*+/g, ANY)
    .replace(/\?/g, 'z');
  return picomatch.isMatch(text, segment, { dot: true }) ? [text] : [];
}

/** URL paths that a route answers and `pattern` matches. A parameter gets one value, unless the pattern requires another. */
export function* witnesses(pattern: string, path: string, depth: number): Generator<string> {
  const have = path.split('/').slice(1);
  const most = Math.min(depth + 1, MAX_DEPTH);
  for (const one of expandBraces(pattern)) yield* walk(one.split('/'), have, [], most);
}

function* walk(
  want: readonly string[],
  have: readonly string[],
  out: readonly string[],
  most: number,
): Generator<string> {
  const [wanted, ...wantedNext] = want;
  const [given, ...givenNext] = have;
  if (wanted === undefined) {
    if (given === undefined) yield `/${out.map(encodeURIComponent).join('/')}`;
    return;
  }
  if (given !== undefined) {
    const isOpen = given.startsWith('*') && out.length < most;
    // A catch-all matches one segment or more. Paths below the pattern go before the directory itself.
    const after = !isOpen ? [givenNext] : wanted === '**' ? [givenNext, have] : [have, givenNext];
    for (const segment of segmentsFor(wanted, given))
      for (const next of after)
        yield* walk(wanted === '**' ? want : wantedNext, next, [...out, segment], most);
  }
  if (wanted === '**') yield* walk(wantedNext, have, out, most);
}

/** The segments that both a segment of a pattern and a segment of a route match. */
function segmentsFor(wanted: string, given: string): readonly string[] {
  const isParameter = given.startsWith(':') || given.startsWith('*');
  if (wanted === '**') return [isParameter ? ANY : given];
  if (isParameter) return samples(wanted);
  const isSame = isPlain(wanted) ? wanted === given : picomatch.isMatch(given, wanted, { dot: true });
  return isSame ? [given] : [];
}
