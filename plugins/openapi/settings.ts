import { listOf, oneOf, option, wrongMembers } from '../../contributions/index.js';
import {
  type BaseRoute,
  isObject,
  type Option,
  type OptionValues,
  type Project,
  slotKey,
} from '../../kernel/index.js';
import { isPathPrefix } from '../http/internal.js';

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

/** The license of the API (OpenAPI 3.1 §4.8.4). */
export type ApiLicense = Table & { readonly name: string };

/** A tag at the root of a document (OpenAPI 3.1 §4.8.22). */
export type ApiTag = Table & { readonly name: string };

/** A document, as `edit` gets it. */
export interface ApiDocument {
  openapi: string;
  info: Record<string, unknown>;
  servers: Record<string, unknown>[];
  tags?: Record<string, unknown>[];
  security: Record<string, string[]>[];
  paths: Record<string, Record<string, Record<string, unknown>>>;
  components: Record<string, Record<string, Record<string, unknown>>>;
  [extension: string]: unknown;
}

type Edit = (document: ApiDocument, name: string | undefined) => unknown;

const isName = (value: unknown): value is { name: string } =>
  isObject(value) && typeof value.name === 'string';

const PATH = 'a path such as "/internal/openapi.json"';
const isPath = (value: unknown): value is string =>
  typeof value === 'string' && value !== '/' && isPathPrefix(value) && /^[\w./~-]+$/.test(value);

const path = (fallback: string): Option<string> => option.custom(fallback, PATH, isPath);

/** Options that each document has for itself. */
const ownOptions = {
  /** Default: the name in package.json. */
  title: text('the name of the API'),
  /** Default: the version in package.json. */
  version: text('the version of the API'),
  /** Default: the description in package.json. Markdown. */
  description: text('the description of the API'),
  /** The paths below which routes are described; with `!`, the paths whose routes are left out. Default: all routes. */
  routes: listOf(
    'a list of paths, such as ["/api", "!/api/internal"]',
    (item) => typeof item === 'string' && isPathPrefix(item.replace(/^!/, '')),
  ),
  /** Descriptions of tags, in the order in which tools list them. */
  tags: option.custom<readonly ApiTag[]>(
    [],
    "a list of tags, such as [{ name: 'books', description: 'Books and authors' }]",
    (value): value is readonly ApiTag[] => Array.isArray(value) && value.every(isName),
  ),
};

/** A further document: where it is served, and its options. All other options apply to it, too. */
export interface FurtherDocument extends Partial<OptionValues<typeof ownOptions>> {
  readonly path: string;
  readonly page?: string;
}

const isFurther = (value: unknown): value is FurtherDocument =>
  isObject(value) &&
  value.path !== undefined &&
  wrongMembers(value, FURTHER).length === 0 &&
  Object.keys(value).every((key) => Object.hasOwn(FURTHER, key));

const FURTHER = { path: path(''), page: path(''), ...ownOptions };

export const openapiOptions = {
  /** Whether the documents and pages are served: in development, always (`true`), or never. */
  serve: oneOf([true, false, 'development'], 'development'),
  /** The path of the document. */
  path: path('/openapi.json'),
  /** The path of the page that shows the document. */
  page: path('/_fwk/docs'),
  ...ownOptions,
  /** Further documents by name, for example for internal routes. */
  documents: option.custom<Readonly<Record<string, FurtherDocument>>>(
    {},
    "an object of documents by name, such as { internal: { path: '/internal.json', page: '/internal', routes: ['/api'] } }, with the keys path, page, title, version, description, routes and tags",
    (value): value is Readonly<Record<string, FurtherDocument>> =>
      isObject(value) && Object.values(value).every(isFurther),
  ),
  /** Changes each document, or returns another. `name` is the name in `documents`. */
  edit: option.custom<Edit | undefined>(
    undefined,
    'a function that changes the document',
    (value): value is Edit | undefined => value === undefined || typeof value === 'function',
  ),
  /** An SPDX expression, another name, or an object with `name` and `url`. Default: the license in package.json. */
  license: option.custom<string | ApiLicense | undefined>(
    undefined,
    "a name, or an object such as { name: 'Terms', url: 'https://shop.test/terms' }",
    (value): value is string | ApiLicense | undefined =>
      value === undefined || typeof value === 'string' || isName(value),
  ),
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

/** The settings of one document, and its name in `documents`. */
export interface DocumentSettings extends OpenapiSettings {
  readonly name?: string;
  /** Undefined if the document has no page. */
  readonly pagePath: string | undefined;
}

/** All documents: first the unnamed one. */
export const documentsOf = (settings: OpenapiSettings): DocumentSettings[] => [
  { ...settings, pagePath: settings.page },
  ...Object.entries(settings.documents).map(([name, { page, ...own }]) => ({
    ...settings,
    routes: [],
    ...own,
    name,
    pagePath: page,
  })),
];

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
