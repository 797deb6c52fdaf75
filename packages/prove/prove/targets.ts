import { isHttpRoute } from 'fwkit/http';
import type { BaseRoute } from 'fwkit/plugin';
import type { Target } from './findings.js';

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
export const withoutGroups = (path: string): string =>
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

export const isSocket = ({ kind, member }: Target): boolean => kind === 'ws' && member === undefined;

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether it may change something (RFC 9110 §9.2.1). `ALL` is any method. */
export const isMutation = (target: Target): boolean =>
  target.member === undefined && !isSocket(target) && !SAFE.has(target.method);
