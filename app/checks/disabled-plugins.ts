import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type BaseRoute, isObject, type Project } from '../../kernel/index.js';
import { sessionFiles } from '../../plugins/context/index.js';
import { isHttpRoute } from '../../plugins/http/index.js';
import type { Issue } from './issue.js';

interface FileRequirement {
  /** Paths relative to the source directory, or settings. */
  readonly parts: readonly string[];
  readonly result: string;
  readonly isProtection?: boolean;
}

export interface Disabled {
  /** The config file, relative to the source directory. */
  readonly file: string;
  /** Names in `disable`, without the names in `disableUnsafe`. */
  readonly names: readonly string[];
  readonly config: Readonly<Record<string, unknown>>;
  readonly filesOf: (plugin: string) => readonly string[];
}

/** Plugins that are disabled although the project needs them. `routes` is undefined before they are known. */
export function neededPlugins(
  { file, names, config, filesOf }: Disabled,
  project: Project,
  routes: readonly BaseRoute[] | undefined,
): Issue[] {
  return names.flatMap((plugin): Issue[] => {
    const need = needFor(plugin);
    const [first] = need?.parts ?? [];
    if (!need || first === undefined) return [];
    const more = need.parts.length > 1 ? ` and ${need.parts.length - 1} more` : '';
    return [
      {
        rule: 'disabled-plugin',
        code: 'FWK708',
        file,
        message: `disables "${plugin}", but the project has ${first}${more}: ${need.result}.`,
        fix: `Remove "${plugin}" from "disable". If it is intended, move it to "disableUnsafe".`,
        isRefused: need.isProtection === true,
      },
    ];
  });

  function needFor(plugin: string): FileRequirement | undefined {
    const shown = () => filesOf(plugin).map((file) => project.display(file));
    const sessions = () => sessionFiles(project).map((file) => project.display(file));
    switch (plugin) {
      case 'middlewares':
        return { parts: shown(), result: 'they run for no request', isProtection: true };
      case 'api':
      case 'web':
      case 'ws':
      case 'mcp':
        return { parts: shown(), result: 'they are not served' };
      case 'context':
        return { parts: shown(), result: 'ctx has none of their values' };
      case 'views':
        return { parts: filesIn('views'), result: 'view() sends the data of a page as JSON' };
      case 'static':
        return { parts: filesIn('public'), result: 'they are not served' };
      case 'json-response': {
        const { length } = ['api', 'web'].flatMap((kind) => project.files(kind));
        return { parts: length > 0 ? ['routes'] : [], result: 'results that are not strings are not sent' };
      }
      case 'session':
        return { parts: sessions(), result: 'they have no session', isProtection: true };
      case 'csrf':
        return {
          parts: [...sessions(), ...options('csrf')],
          result: 'pages of other sites can send requests with the cookies of a visitor',
          isProtection: true,
        };
      case 'rate-limit':
        return {
          parts: [...options('rateLimit'), ...metadata('rateLimit')],
          result: 'nothing is limited',
          isProtection: true,
        };
      case 'idempotency':
        return {
          parts: metadata('idempotent'),
          result: 'a repeated request runs again',
          isProtection: true,
        };
      case 'deprecation':
        return { parts: metadata('deprecated'), result: 'their clients are not warned' };
      case 'security-headers':
        return {
          parts: config.securityHeaders === false ? [] : options('securityHeaders'),
          result: 'no response has them',
          isProtection: true,
        };
      case 'prove':
        return { parts: shown(), result: 'its rules are not checked', isProtection: true };
      case 'cache':
      case 'compression':
      case 'cors':
      case 'health':
      case 'log':
      case 'openapi':
      case 'sse':
        return { parts: options(plugin), result: 'they have no effect' };
      // Documented: some machines run no cron jobs.
      case 'cron':
        return undefined;
      default:
        return { parts: shown(), result: 'they are not read' };
    }
  }

  function filesIn(directory: string): readonly string[] {
    const path = join(project.root, directory);
    if (!existsSync(path)) return [];
    return readdirSync(path).flatMap((name) => (name.startsWith('.') ? [] : `${directory}/${name}`));
  }

  function options(key: string): readonly string[] {
    return isObject(config[key]) || config[key] === true ? [`the options "${key}"`] : [];
  }

  function metadata(key: string): readonly string[] {
    const http = routes?.filter(isHttpRoute) ?? [];
    return http
      .filter(({ meta }) => Object.hasOwn(meta, key))
      .map(({ label }) => `.meta({ ${key} }) in ${label}`);
  }
}
