import { Router } from 'fwkit/http';
import type { RuleData } from '../policy/rule.js';
import type { Selected, Target } from './findings.js';
import { matcherOf } from './pattern.js';
import { bareOf, isMutation, isSocket, toolPath, withoutGroups } from './targets.js';
import { witnesses } from './witness.js';

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
