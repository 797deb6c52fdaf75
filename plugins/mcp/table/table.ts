import type { RouteMember } from '../../../kernel/index.js';
import type { RuntimeCtx } from '../../../scope/index.js';
import type { HttpRequest, HttpRoute } from '../../http/index.js';
import type { Call } from '../definitions/call.js';
import type { Auth, Described, Prompt, Resource, Tool } from '../definitions/definition.js';
import { pageUri } from './names.js';
import type { CompiledSchema } from './schema.js';
import type { UriTemplate } from './uri-template.js';

interface Listed {
  /** The file that defines it, relative to the source directory. */
  readonly file: string;
  readonly name: string;
}

/** The description of a tool for clients, without schemas. A new object if the tool was redefined. */
export type ToolAbout = Omit<Tool, 'handler' | 'input' | 'output'>;

export interface ToolSchemas {
  readonly input: CompiledSchema | undefined;
  readonly output: CompiledSchema | undefined;
}

export interface Caller {
  readonly ctx: RuntimeCtx;
  /** The request that carried the call; undefined over stdio. */
  readonly request: HttpRequest | undefined;
}

export interface ToolEntry extends Listed {
  readonly tool: ToolAbout;
  /** Available synchronously, except for a route whose module has not been imported. */
  schemas(): ToolSchemas | Promise<ToolSchemas>;
  run(input: unknown, call: Call, caller: Caller): unknown;
  /** The route that the tool calls; undefined for a tool of its own. */
  readonly route?: HttpRoute;
}

export interface ResourceEntry extends Listed {
  readonly uri: string;
  readonly resource: Resource;
  /** Reads it instead of the handler. `origin`: the origin of the app; undefined over stdio. */
  readonly read?: (origin: string | undefined) => Promise<Record<string, unknown>>;
}

export interface TemplateEntry extends Listed {
  readonly uri: UriTemplate;
  readonly resource: Resource;
}

export interface PromptEntry extends Listed {
  readonly prompt: Prompt;
  readonly input: CompiledSchema | undefined;
}

/** A project's tools, resources and prompts, sorted by their names for clients. Needs no SDK. */
export interface Table {
  readonly tools: ReadonlyMap<string, ToolEntry>;
  readonly resources: ReadonlyMap<string, ResourceEntry>;
  /** By URI, sorted from most to least specific. */
  readonly templates: ReadonlyMap<string, TemplateEntry>;
  readonly prompts: ReadonlyMap<string, PromptEntry>;
  readonly auth: Auth | undefined;
}

interface DescribedMember extends RouteMember {
  /** Imports the module if necessary, and rejects if the import fails. */
  readonly about: () => Promise<object>;
}

export function membersOf({ tools, resources, templates, prompts }: Table): readonly DescribedMember[] {
  const member = (
    kind: string,
    name: string,
    file: string,
    { scopes = [], title, description, view }: Described & Pick<Tool, 'view'>,
    schemas: ToolEntry['schemas'] = () => ({ input: undefined, output: undefined }),
  ): DescribedMember => ({
    kind,
    name,
    label: `${kind.toUpperCase()} ${name}`,
    id: `${kind.toUpperCase()} ${name}`,
    file,
    ...(scopes.length > 0 ? { scopes } : {}),
    about: async () => {
      const { input, output } = await schemas();
      const page = view && pageUri(view);
      return { title, description, schemas: { input: input?.json, output: output?.json }, page };
    },
  });
  return [
    ...[...prompts].map(([name, { file, prompt, input }]) =>
      member('prompt', name, file, prompt, () => ({ input, output: undefined })),
    ),
    ...[...resources, ...templates]
      .map(([uri, { file, resource }]) => member('resource', uri, file, resource))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    ...[...tools].map(([name, { file, tool, schemas }]) => member('tool', name, file, tool, schemas)),
  ];
}

export const LISTS = ['tools', 'resources', 'prompts'] as const;
export type List = (typeof LISTS)[number];

/** The lists in which `next` differs from `before`: an entry was added, renamed or redefined. */
export function changedLists(before: Table, next: Table): List[] {
  return LISTS.filter((list) => {
    const [old, now] = [definitions(before, list), definitions(next, list)];
    return old.size !== now.size || [...now].some(([key, definition]) => old.get(key) !== definition);
  });
}

function definitions(table: Table, list: List): Map<string, unknown> {
  if (list === 'tools') return new Map([...table.tools].map(([name, { tool }]) => [name, tool]));
  if (list === 'prompts') return new Map([...table.prompts].map(([name, { prompt }]) => [name, prompt]));
  const both = [...table.resources, ...table.templates];
  return new Map(both.map(([uri, { resource }]) => [uri, resource]));
}

/** The resource that matches `uri`, with the values of its variables. */
export function findResource(
  { resources, templates }: Table,
  uri: string,
): { entry: ResourceEntry | TemplateEntry; variables: Record<string, string> } | undefined {
  const entry = resources.get(uri);
  if (entry) return { entry, variables: {} };
  for (const template of templates.values()) {
    const variables = template.uri.match(uri);
    if (variables) return { entry: template, variables };
  }
  return undefined;
}

/** Runs instead of the handler of an entry. Returns any value that the handler may return. */
export type McpHandler = (of: Pick<RouteMember, 'kind' | 'name' | 'file'>) => unknown;

const UNCHECKED: ReturnType<ToolEntry['schemas']> = { input: undefined, output: undefined };

/** The table with `run` instead of the handlers in `files`. The arguments of their calls are not checked. */
export function withHandlers(table: Table, run: McpHandler, files: ReadonlySet<string>): Table {
  const mapped = <E extends { readonly file: string }>(
    entries: ReadonlyMap<string, E>,
    kind: string,
    change: (entry: E, handler: () => unknown) => E,
  ): ReadonlyMap<string, E> =>
    new Map(
      [...entries].map(([name, entry]) => {
        const { file } = entry;
        return [name, files.has(file) ? change(entry, () => run({ kind, name, file })) : entry];
      }),
    );
  const withResource = <E extends ResourceEntry | TemplateEntry>(entry: E, handler: () => unknown): E => ({
    ...entry,
    resource: { ...entry.resource, handler },
  });
  return {
    ...table,
    tools: mapped(table.tools, 'tool', (entry, handler) => ({
      ...entry,
      schemas: () => UNCHECKED,
      run: handler,
    })),
    resources: mapped(table.resources, 'resource', withResource),
    templates: mapped(table.templates, 'resource', withResource),
    prompts: mapped(table.prompts, 'prompt', (entry, handler) => ({
      ...entry,
      input: undefined,
      prompt: { ...entry.prompt, handler },
    })),
  };
}
