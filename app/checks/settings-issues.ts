import { type BaseRoute, isObject, type Project } from '../../kernel/index.js';
import { type HttpRoute, isHttpRoute, type RouteMeta } from '../../plugins/http/index.js';
import { isAtOrBelow } from '../../plugins/http/internal.js';
import { farFrom, similar } from '../similar.js';
import type { Disabled } from './disabled-plugins.js';
import type { Issue } from './issue.js';

const META = [
  'body',
  'bodyLimit',
  'cache',
  'checkResponse',
  'compression',
  'cors',
  'csrf',
  'openapi',
  'outlivesSession',
  'rateLimit',
  'securityHeaders',
  'timeout',
] as const satisfies readonly (keyof RouteMeta)[];

/** Abbreviations that are not values of NODE_ENV, and the values that are meant. */
export const MODES = [
  ['dev', 'development'],
  ['prod', 'production'],
] as const;

/** Environment variables that fwk reads and whose names are long enough to be misspelled. */
const VARIABLES = ['FWK_SECRET', 'FWK_POLL', 'SESSION_SECRET', 'MCP_SECRET', 'LOG_LEVEL', 'WEB_CONCURRENCY'];

/** Shorter timeouts, in milliseconds, were probably meant in seconds. */
const SHORT_MS = 100;

/** Valid settings that are probably mistakes. */
export function settingsIssues(
  project: Project,
  { file, config }: Pick<Disabled, 'file' | 'config'>,
  routes: readonly BaseRoute[] = [],
): Issue[] {
  const issues: Issue[] = [];
  const mode =
    MODES.find(([short]) => short === project.mode)?.[1] ??
    similar(
      project.mode,
      MODES.map(([, mode]) => mode),
    );
  if (mode !== undefined && mode !== project.mode)
    issues.push({
      rule: 'node-env',
      code: 'FWK204',
      message: `NODE_ENV is "${project.mode}", so this is neither development nor production.`,
      fix: `Set it to "${mode}".`,
    });
  for (const name of Object.keys(process.env)) {
    if (!/FWK|SECRET|LEVEL|CONCURRENCY/.test(name)) continue;
    // With the prefix of fwk, no other program reads it.
    const meant = name.startsWith('FWK_')
      ? similar(name, VARIABLES)
      : VARIABLES.find((variable) => farFrom(name, variable) === 1);
    if (meant === undefined || VARIABLES.includes(name) || process.env[meant] !== undefined) continue;
    issues.push({
      rule: 'misspelled-variable',
      code: 'FWK204',
      message: `The environment variable ${name} is set, but fwk does not read it.`,
      fix: `If you meant ${meant}, rename it.`,
    });
  }
  const http = routes.filter(isHttpRoute);
  if (isObject(config.http))
    for (const key of ['timeout', 'requestTimeout'])
      issues.push(...shortTimeout(file, `http.${key}`, config.http[key]));
  for (const { file: module, meta } of http)
    issues.push(...shortTimeout(module, '.meta({ timeout })', meta.timeout));
  if (http.length > 0)
    for (const plugin of ['rateLimit', 'csrf']) issues.push(...unmatchedPaths(plugin, config[plugin], http));
  if (isObject(config.http) && config.http.trustProxy === true)
    issues.push({
      rule: 'trusts-clients',
      code: 'FWK216',
      file,
      message:
        'has http.trustProxy: true, so clients can forge their address in X-Forwarded-For and avoid rate limits.',
      fix: "Set it to the addresses of the proxies, such as ['10.0.0.0/8'], or to their number.",
    });
  // In TypeScript, the compiler finds misspelled keys.
  if (project.language === 'js' && project.source === project.root)
    for (const { meta, file } of http)
      for (const key of Object.keys(meta)) {
        const meant = similar(key, META);
        if (meant !== undefined && meant !== key && Math.abs(meant.length - key.length) < 3)
          issues.push({
            rule: 'misspelled-meta',
            code: 'FWK403',
            file,
            message: `has .meta({ ${key} }), which fwk does not read.`,
            fix: `If you meant "${meant}", rename it.`,
          });
      }
  return issues;

  function shortTimeout(where: string, name: string, value: unknown): Issue[] {
    if (typeof value !== 'number' || value <= 0 || value >= SHORT_MS) return [];
    const message = `has ${name} with ${value} milliseconds, which is shorter than most responses take.`;
    const fix = `If you mean ${value} seconds, write ${value * 1000}.`;
    return [{ rule: 'short-timeout', code: 'FWK202', file: where, message, fix }];
  }

  /** Paths in the options of a plugin that apply to no route. The placeholders for 404 have the kind `none`. */
  function unmatchedPaths(plugin: string, options: unknown, http: readonly HttpRoute[]): Issue[] {
    const paths = isObject(options) && isObject(options.paths) ? Object.keys(options.paths) : [];
    return paths
      .filter((path) => !http.some((route) => route.kind !== 'none' && isAtOrBelow(route.path, path)))
      .map((path) => ({
        rule: 'unmatched-path',
        code: 'FWK214',
        file,
        message: `has the path "${path}" in ${plugin}.paths, but no route has this path or one below it.`,
        fix: 'Write the path as fwk routes prints it, or delete it.',
      }));
  }
}
