import { type BaseRoute, isObject, type Project } from '../../kernel/index.js';
import { isHttpRoute, type RouteMeta } from '../../plugins/http/index.js';
import { similar } from '../similar.js';
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
    for (const { meta, file } of routes.filter(isHttpRoute))
      for (const key of Object.keys(meta)) {
        const meant = similar(key, META);
        if (meant !== undefined && meant !== key && Math.abs(meant.length - key.length) < 3)
          issues.push({
            rule: 'misspelled-meta',
            code: 'FWK403',
            file,
            message: `has .meta({ ${key} }), which fwk does not read.`,
            fix: `Rename it to "${meant}" if it is meant to be that.`,
          });
      }
  return issues;
}
