import { oneOf, option } from '../../contributions/index.js';
import {
  type BaseRoute,
  isObject,
  type Option,
  type OptionValues,
  type Project,
  slotKey,
} from '../../kernel/index.js';

type Table = Readonly<Record<string, unknown>>;

const text = (of: string): Option<string | undefined> =>
  option.custom<string | undefined>(
    undefined,
    `a string: ${of}`,
    (value): value is string | undefined => value === undefined || typeof value === 'string',
  );

/** A security scheme of OpenAPI: `{ type: 'apiKey', in: 'cookie', name: 'session' }` (3.1 §4.8.27). */
export type SecurityScheme = Table & { readonly type: string };

/** A URL of the API: `{ url: 'https://api.shop.test', description: 'Production' }` (OpenAPI 3.1 §4.8.5). */
export type ApiServer = Table & { readonly url: string };

export const openapiOptions = {
  /** Whether `/openapi.json` and `/_fwk/docs` are served: in development, always (`true`), or never. */
  serve: oneOf([true, false, 'development'], 'development'),
  /** Default: the name in package.json. */
  title: text('the name of the API'),
  /** Default: the version in package.json. */
  version: text('the version of the API'),
  /** Default: the description in package.json. Markdown. */
  description: text('the description of the API'),
  /** An SPDX expression, or another name. Default: the license in package.json. */
  license: text('the license of the API'),
  /** The schemes that the `security` of definitions and middlewares can name. */
  security: option.custom<Readonly<Record<string, SecurityScheme>>>(
    {},
    "an object of security schemes by name, such as { session: { type: 'apiKey', in: 'cookie', name: 'session' } }",
    (value): value is Readonly<Record<string, SecurityScheme>> =>
      isObject(value) &&
      Object.entries(value).every(
        ([name, scheme]) => /^[\w.-]+$/.test(name) && isObject(scheme) && typeof scheme.type === 'string',
      ),
  ),
  /** Default: the origin that serves the document. */
  servers: option.custom<readonly ApiServer[]>(
    [{ url: '/' }],
    "a list of servers, such as [{ url: 'https://api.shop.test' }]",
    (value): value is readonly ApiServer[] =>
      Array.isArray(value) &&
      value.length > 0 &&
      value.every((server) => isObject(server) && typeof server.url === 'string'),
  ),
};

const DESCRIBED = slotKey<Described>('openapi');

export type OpenapiSettings = OptionValues<typeof openapiOptions>;

interface Described {
  settings?: OpenapiSettings;
  routes: readonly BaseRoute[];
  /** The IDs of routes with a timeout: the timeout's layer is removed if it is the innermost one. */
  timed: ReadonlySet<string>;
}

export const describedOf = (project: Project): Described =>
  project.slot(DESCRIBED, () => ({ routes: [], timed: new Set() }));

export function settingsOf(project: Project): OpenapiSettings {
  const { settings } = describedOf(project);
  if (!settings) throw new Error('the project has not been resolved');
  return settings;
}
