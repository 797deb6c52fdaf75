import type { Entry, Project } from '../../../kernel/index.js';
import { pagesOf } from '../apps/pages.js';
import {
  type Auth,
  authMistakes,
  type Described,
  isAuth,
  isPrompt,
  isResource,
  isScopes,
  isTool,
  type Resource,
} from '../definitions/definition.js';
import type { Schema } from '../definitions/schema-types.js';
import { wrongExport } from '../generated-types.js';
import { isAuthFile, NameError, nameOf, SKILL_URI, SKILLS_DIRECTORY, uriOf } from './names.js';
import {
  argumentsWithoutString,
  type CompiledSchema,
  compileSchema,
  SchemaError,
  verifySchema,
} from './schema.js';
import type { PromptEntry, ResourceEntry, Table, TemplateEntry, ToolEntry } from './table.js';
import { TemplateError, uriTemplate } from './uri-template.js';

/** Import the files in `mcp/`, and build the table of them and of route tools. Reports problems. */
export async function loadTable(
  entries: readonly Entry[],
  routes: readonly ToolEntry[],
  project: Project,
  skills?: Resource,
): Promise<Table> {
  const tools = new Map<string, ToolEntry>();
  const resources = new Map<string, ResourceEntry>();
  const templates = new Map<string, TemplateEntry>();
  const prompts = new Map<string, PromptEntry>();
  let auth: Auth | undefined;
  const adders: ReadonlyMap<string, (entry: Entry, definition: unknown) => unknown> = new Map([
    ['tools', addTool],
    ['resources', addResource],
    ['prompts', addPrompt],
  ]);
  const modules = await Promise.all(entries.map((entry) => project.load(entry)));
  // In the order of the paths, so that the choice of the reported duplicate does not vary.
  for (const [index, entry] of entries.entries()) {
    const module = modules[index];
    const path = below(entry);
    const add = isAuthFile(entry.file) ? addAuth : adders.get(path.split('/', 1)[0] ?? '');
    if (!add) project.report(entry.file, STRAY, 'FWK510');
    else if (module) await add(entry, module.default);
  }
  for (const entry of routes) {
    if (isName(entry.name)) put(tools, entry.name, entry, 'tool', project);
    else
      project.report(entry.file, `${wrongName(entry.name)} Set another name: tool: { name: "…" }.`, 'FWK512');
  }
  for (const [uri, page] of pagesOf(tools.values(), project)) put(resources, uri, page, 'resource', project);
  if (skills)
    templates.set(SKILL_URI, {
      file: `${SKILLS_DIRECTORY}/`,
      name: 'skills',
      uri: uriTemplate(SKILL_URI),
      resource: skills,
    });
  reportScopes([...tools.values()].map(({ file, tool }) => [file, tool.scopes] as const));
  reportScopes(
    [...resources.values(), ...templates.values()].map(({ file, resource }) => [file, resource.scopes]),
  );
  reportScopes([...prompts.values()].map(({ file, prompt }) => [file, prompt.scopes]));
  return {
    tools: sorted(tools),
    resources: sorted(resources),
    templates: new Map([...templates].sort(([, a], [, b]) => b.uri.literals - a.uri.literals)),
    prompts: sorted(prompts),
    auth,
  };

  function addAuth({ file }: Entry, definition: unknown): void {
    if (!isAuth(definition)) return project.report(file, wrongExport('auth'), 'FWK511');
    for (const mistake of authMistakes(definition)) project.report(file, mistake, 'FWK515');
    auth = definition;
  }

  async function addTool(entry: Entry, tool: unknown): Promise<void> {
    const { file } = entry;
    if (!isTool(tool)) return project.report(file, wrongExport('tool'), 'FWK511');
    const name = named(entry, tool, project);
    const input = await compiled(tool.input, 'input', entry, project);
    const output = await compiled(tool.output, 'output', entry, project);
    const schemas = { input, output };
    const run: ToolEntry['run'] = (given, call, { ctx }) => tool.handler(given, ctx, call);
    if (name !== undefined)
      put(tools, name, { file, name, tool, schemas: () => schemas, run }, 'tool', project);
  }

  async function addPrompt(entry: Entry, prompt: unknown): Promise<void> {
    const { file } = entry;
    if (!isPrompt(prompt)) return project.report(file, wrongExport('prompt'), 'FWK511');
    const name = named(entry, prompt, project);
    const input = await compiled(prompt.input, 'input', entry, project);
    const isNew = project.run.cachedMetadata(entry) === undefined;
    for (const argument of isNew && prompt.input && input
      ? await argumentsWithoutString(prompt.input, input)
      : [])
      project.report(
        file,
        `has the argument "${argument}", whose schema does not accept strings, but clients only send strings. Accept a string, and convert it in the schema or the handler.`,
        'FWK514',
      );
    if (name !== undefined) put(prompts, name, { file, name, prompt, input }, 'prompt', project);
  }

  function addResource(entry: Entry, resource: unknown): void {
    const { file } = entry;
    if (!isResource(resource)) return project.report(file, wrongExport('resource'), 'FWK511');
    try {
      const uri = resource.uri ?? uriOf(below(entry));
      const name = resource.name ?? uri;
      const template = uriTemplate(uri);
      if (template.variables.length > 0)
        put(templates, uri, { file, name, uri: template, resource }, 'resource', project);
      else if (!URL.canParse(uri))
        project.report(file, `has the uri "${uri}", which is not a full URI. Write scheme://path.`, 'FWK512');
      else put(resources, uri, { file, name, uri, resource }, 'resource', project);
      for (const key of Object.keys(resource.complete ?? {}))
        if (!template.variables.includes(key))
          project.report(
            file,
            `completes "${key}", but ${uri} has no such variable. Rename or remove it.`,
            'FWK512',
          );
    } catch (thrown) {
      if (thrown instanceof TemplateError)
        return project.report(file, `has a uri that ${thrown.message}`, 'FWK512');
      if (!(thrown instanceof NameError)) throw thrown;
      project.report(file, thrown.message, 'FWK512');
    }
  }

  function reportScopes(all: readonly (readonly [string, readonly string[] | undefined])[]): void {
    for (const [file, scopes] of all) {
      if (scopes === undefined) continue;
      if (!isScopes(scopes))
        project.report(
          file,
          `has scopes ${JSON.stringify(scopes)}. Give a list of names without spaces.`,
          'FWK515',
        );
      else if (!auth)
        project.report(
          file,
          'has scopes, but nothing checks tokens. Add mcp/auth, or remove the scopes.',
          'FWK515',
        );
    }
  }
}

function named(entry: Entry, { name }: Described, project: Project): string | undefined {
  try {
    const given = name ?? nameOf(below(entry));
    if (isName(given)) return given;
    project.report(entry.file, wrongName(given), 'FWK512');
  } catch (thrown) {
    if (!(thrown instanceof NameError)) throw thrown;
    project.report(entry.file, thrown.message, 'FWK512');
  }
  return undefined;
}

const isName = (name: string): boolean => /^[\w.-]{1,128}$/.test(name);

const wrongName = (name: string): string =>
  `has the name ${JSON.stringify(name)}. Use 1 to 128 letters, digits, "_", "-" and ".".`;

async function compiled(
  schema: Schema | undefined,
  side: 'input' | 'output',
  entry: Entry,
  project: Project,
): Promise<CompiledSchema | undefined> {
  if (schema === undefined) return undefined;
  try {
    const made = compileSchema(schema, side);
    // A build has compiled the schema, so production doesn't load the compiler before the first call.
    if (project.run.cachedMetadata(entry) === undefined) await verifySchema(schema);
    project.run.recordMetadata(entry, 'verified');
    return made;
  } catch (thrown) {
    if (!(thrown instanceof SchemaError)) throw thrown;
    project.report(entry.file, `has an ${side} that ${thrown.message.replace(/\.$/, '')}.`, 'FWK514');
    return undefined;
  }
}

const STRAY =
  'is not in mcp/tools/, mcp/resources/ or mcp/prompts/, and is not mcp/auth. Move it there, or begin its name with "_".';

/** Add an entry; reports a duplicate name or URI. */
function put<Value extends { readonly file: string }>(
  entries: Map<string, Value>,
  key: string,
  value: Value,
  kind: string,
  project: Project,
): void {
  const first = entries.get(key);
  if (first)
    project.report(
      value.file,
      `defines the ${kind} ${key}, which ${project.display(first.file)} also defines. Rename or delete one of them.`,
      'FWK513',
    );
  else entries.set(key, value);
}

/** Sorts by key, so that lists do not depend on the order of files on disk. */
const sorted = <Value>(entries: ReadonlyMap<string, Value>): Map<string, Value> =>
  new Map([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));

const below = ({ file }: Entry): string => file.slice('mcp/'.length);
