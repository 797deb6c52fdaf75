import { isHttpRoute, Router } from 'fwkit/http';
import type { BaseRoute, Project } from 'fwkit/plugin';
import type { Selected, Target } from './findings.js';
import { matcherOf, witnesses } from './pattern.js';
import type { RuleData } from './rule.js';

/** What stands for URLs without a route. */
const NO_ROUTE = 'none';

/** Routes and members that a client can reach. No request reaches a job. */
export const targetsOf = (routes: readonly BaseRoute[]): readonly Target[] =>
  routes.flatMap((route): Target[] => {
    if (!isHttpRoute(route) || route.kind === NO_ROUTE) return [];
    const { label, kind, file, method, path, meta, chain = [], members = [] } = route;
    const own = { label, kind, file, method, path, meta: { ...meta }, chain, route };
    const around = (file: string): readonly string[] => [
      ...new Set([...chain, ...chainOfTool(file, routes)]),
    ];
    return [
      own,
      ...members.map((member) => ({
        ...own,
        ...placeOf(member),
        meta: {},
        chain: around(member.file),
        member,
      })),
    ];
  });

/** A call of a tool that is a route passes what is around that route, too. */
const chainOfTool = (file: string, routes: readonly BaseRoute[]): readonly string[] =>
  routes.filter(isHttpRoute).find((route) => route.tool && route.file === file)?.chain ?? [];

const placeOf = ({ label, kind, file }: Pick<Target, 'label' | 'kind' | 'file'>) => ({ label, kind, file });

const GROUP = /^\([^()]+\)$/;

/** A file without its extension: `api/(open)/admin/x.get`. */
export const bareOf = (file: string): string => file.replace(/\.m?[jt]s$/, '').replace(/\/$/, '');

/** A path of files without the groups that URLs do not have: `api/admin/x.get`. */
const withoutGroups = (path: string): string =>
  path.includes('(')
    ? path
        .split('/')
        .filter((segment) => !GROUP.test(segment))
        .join('/')
    : path;

/** The directory of tools. */
const TOOLS = 'mcp/tools/';

/** The texts by which a pattern of a rule on tools may know a tool. */
export const toolPath = (file: string): string =>
  bareOf(file.startsWith(TOOLS) ? file.slice(TOOLS.length) : file);

const isSocket = ({ kind, member }: Target): boolean => kind === 'ws' && member === undefined;

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether it may change something (RFC 9110 §9.2.1). `ALL` is any method. */
const isMutation = (target: Target): boolean =>
  target.member === undefined && !isSocket(target) && !SAFE.has(target.method);

/** The methods that a request for a route may have. */
const METHODS: Readonly<Record<string, readonly string[]>> = {
  GET: ['GET', 'HEAD'],
  ALL: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'],
};

/** How many URLs of a route are tried. */
const MAX_URLS = 500;

const OF_SORT = {
  sockets: isSocket,
  mutations: isMutation,
  tools: ({ kind, member }: Target) => member !== undefined && kind === 'tool',
} as const;

/** What can be reached, and the ways in which patterns know it. */
export class Table {
  readonly targets: readonly Target[];
  readonly #router = new Router<Target>();
  readonly #paths = new Map<Target, readonly string[]>();
  #depth = 0;

  constructor(targets: readonly Target[]) {
    this.targets = targets;
    for (const target of targets) {
      this.#paths.set(target, pathsOf(target));
      if (target.member) continue;
      this.#router.add({ method: target.method as 'GET', path: target.path }, target);
      this.#depth = Math.max(this.#depth, target.path.split('/').length - 1);
    }
  }

  /** What a rule is about, exceptions included. */
  select(rule: RuleData): readonly Selected[] {
    const { selector, pattern } = rule;
    if (selector === 'everything') return this.targets;
    if (selector === 'under') return this.#under(pattern);
    const isMeant = this.matching(rule, pattern);
    const isOfSort = OF_SORT[selector];
    return this.targets.filter((target) => isOfSort(target) && isMeant(target));
  }

  /** Whether `pattern` in a rule means a target. */
  matching({ selector }: RuleData, pattern: string): (target: Target) => boolean {
    const matches = matcherOf(pattern);
    if (selector === 'tools') return ({ file }) => matches(toolPath(file));
    return (target) => (this.#paths.get(target) ?? pathsOf(target)).some(matches);
  }

  /** By file or URL, and routes of which a URL is below: unless the pattern is one of files that URLs do not have. */
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

  /** A URL path below `pattern` that the target answers, and nothing that goes before it. */
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

/** The texts by which a pattern may know a target: file, file without groups, and of a route its URL. */
function pathsOf(target: Target): readonly string[] {
  const file = bareOf(target.file);
  return [...new Set([file, withoutGroups(file), ...(target.member ? [] : [urlOf(target)])])];
}

/** What of a directory guards all of it: the first that is there is what people fix. */
const OF_DIRECTORY = ['_middleware', 'auth'];

/** The file that people open for a target; undefined where it has none, as the endpoint of tools that are routes. */
export function fileOf(project: Project): (target: Pick<Target, 'file'>) => string | undefined {
  const sources = new Map(project.entries.map(({ file }) => [bareOf(file), file]));
  const sourceOf = (path: string): string | undefined => {
    const file = sources.get(path);
    return file === undefined ? undefined : project.display(file);
  };
  return ({ file }) => {
    if (file.startsWith('plugin "')) return undefined;
    if (!file.endsWith('/')) return sourceOf(bareOf(file)) ?? project.display(file);
    return OF_DIRECTORY.flatMap((name) => sourceOf(`${file}${name}`) ?? [])[0];
  };
}

/** The kind of the routes that say where clients of `/mcp` get a token. */
export const METADATA = 'mcp-auth';

/** What to do about one that a rule is about. */
export const METADATA_ADVICE =
  "Clients read there where to get a token, before they have one. Leave it out: .except('.well-known/**', 'RFC 9728').";
