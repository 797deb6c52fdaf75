import { isHttpRoute, Router } from 'fwkit/http';
import type { BaseRoute } from 'fwkit/plugin';
import type { Selected, Target } from './findings.js';
import { matcherOf, witnesses } from './pattern.js';
import type { RuleData } from './rule.js';

const NO_ROUTE = 'none';

export const targetsOf = (routes: readonly BaseRoute[]): readonly Target[] =>
  routes.flatMap((route): Target[] => {
    if (!isHttpRoute(route) || route.kind === NO_ROUTE) return [];
    const { label, kind, file, method, path, meta, chain = [], members = [] } = route;
    const own = { label, kind, file, method, path, meta: { ...meta }, chain, route };
    const around = (file: string): readonly string[] => [
      ...new Set([...chain, ...chainOfTool(file, routes)]),
    ];
    const inner = members.map((member): Target => {
      const { label, kind, file } = member;
      return { ...own, label, kind, file, meta: {}, chain: around(file), member };
    });
    return [own, ...inner];
  });

/** A call of a tool that is a route also passes the middlewares of the route. */
const chainOfTool = (file: string, routes: readonly BaseRoute[]): readonly string[] =>
  routes.filter(isHttpRoute).find((route) => route.tool && route.file === file)?.chain ?? [];
const GROUP = /^\([^()]+\)$/;
const bareOf = (file: string): string => file.replace(/\.m?[jt]s$/, '').replace(/\/$/, '');

/** The path of a file without groups, which URLs don't have: `api/admin/x.get`. */
const withoutGroups = (path: string): string =>
  path
    .split('/')
    .filter((segment) => !GROUP.test(segment))
    .join('/');

const TOOLS = 'mcp/tools/';
const toolPath = (file: string): string => bareOf(file.startsWith(TOOLS) ? file.slice(TOOLS.length) : file);
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

/** The texts of a target that patterns match: its file, its file without groups, and the URL of a route. */
function pathsOf(target: Target): readonly string[] {
  const file = bareOf(target.file);
  return [...new Set([file, withoutGroups(file), ...(target.member ? [] : [urlOf(target)])])];
}
