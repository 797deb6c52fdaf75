import type { Entry, Project } from '../../../kernel/index.js';
import { pagesOf } from '../apps/pages.js';
import {
  type Auth,
  authMistakes,
  isDefined,
  isScopes,
  type Prompt,
  type Resource,
  type Tool,
} from '../definitions/definition.js';
import type { Schema } from '../definitions/schema-types.js';
import { wrongExport } from '../generated-types.js';
import { kindOf, NameError, nameOf, SKILL_URI, SKILLS_DIRECTORY, uriOf } from './names.js';
import {
  argumentsWithoutString,
  type CompiledSchema,
  compileSchema,
  SchemaError,
  verifySchema,
} from './schema.js';
import type { PromptEntry, ResourceEntry, Table, TemplateEntry, ToolEntry } from './table.js';
import { uriTemplate } from './uri-template.js';

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
  const modules = await Promise.all(entries.map((entry) => project.load(entry)));
  // In the order of the paths, so that the choice of the reported duplicate does not vary.
  for (const [index, entry] of entries.entries()) {
    const { file } = entry;
    const kind = kindOf(file);
    const module = modules[index];
    if (!kind) project.report(file, STRAY, 'FWK510');
    else if (module && !isDefined(kind, module.default)) project.report(file, wrongExport(kind), 'FWK511');
    else if (kind === 'auth') auth = module?.default as Auth | undefined;
    else if (kind === 'tool') await addTool(entry, module?.default as Tool | undefined);
    else if (kind === 'prompt') await addPrompt(entry, module?.default as Prompt | undefined);
    else addResource(file, module?.default as Resource | undefined);
    if (auth && kind === 'auth')
      for (const mistake of authMistakes(auth)) project.report(file, mistake, 'FWK515');
  }
  for (const entry of routes) {
    const { file, name } = entry;
    if (isName(name)) put(tools, name, entry, 'tool');
    else project.report(file, `${wrongName(name)} Set another name: tool: { name: "…" }.`, 'FWK512');
  }
  for (const [uri, page] of pagesOf(tools.values(), project)) put(resources, uri, page, 'resource');
  if (skills) {
    const uri = uriTemplate(SKILL_URI);
    templates.set(SKILL_URI, { file: `${SKILLS_DIRECTORY}/`, name: 'skills', uri, resource: skills });
  }
  for (const { file, tool } of tools.values()) reportScopes(file, tool.scopes);
  for (const { file, resource } of [...resources.values(), ...templates.values()])
    reportScopes(file, resource.scopes);
  for (const { file, prompt } of prompts.values()) reportScopes(file, prompt.scopes);
  return {
    tools: sorted(tools),
    resources: sorted(resources),
    templates: new Map([...templates].sort(([, a], [, b]) => b.uri.literals - a.uri.literals)),
    prompts: sorted(prompts),
    auth,
  };

  async function addTool(entry: Entry, tool: Tool | undefined): Promise<void> {
    if (!tool) return;
    const { file } = entry;
    const name = named(entry, tool.name);
    const input = await compiled(tool.input, 'input', entry);
    const schemas = { input, output: await compiled(tool.output, 'output', entry) };
    const run: ToolEntry['run'] = (given, call, { ctx }) => tool.handler(given, ctx, call);
    if (name !== undefined) put(tools, name, { file, name, tool, schemas: () => schemas, run }, 'tool');
  }

  async function addPrompt(entry: Entry, prompt: Prompt | undefined): Promise<void> {
    if (!prompt) return;
    const { file } = entry;
    const name = named(entry, prompt.name);
    const input = await compiled(prompt.input, 'input', entry);
    const isNew = project.run.cachedMetadata(entry) === undefined;
    const wrong = isNew && prompt.input && input ? await argumentsWithoutString(prompt.input, input) : [];
    for (const argument of wrong)
      project.report(
        file,
        `has the argument "${argument}", whose schema does not accept strings, but clients only send strings. Accept a string, and convert it in the schema or the handler.`,
        'FWK514',
      );
    if (name !== undefined) put(prompts, name, { file, name, prompt, input }, 'prompt');
  }

  function addResource(file: string, resource: Resource | undefined): void {
    const template = resource && derived(file, () => uriTemplate(resource.uri ?? uriOf(below(file))));
    if (!template) return;
    const { text: uri, variables } = template;
    const { name = uri, complete = {} } = resource;
    if (variables.length > 0) put(templates, uri, { file, name, uri: template, resource }, 'resource');
    else if (URL.canParse(uri)) put(resources, uri, { file, name, uri, resource }, 'resource');
    else
      project.report(file, `has the uri "${uri}", which is not a full URI. Write scheme://path.`, 'FWK512');
    for (const key of Object.keys(complete).filter((key) => !variables.includes(key))) {
      const mistake = `completes "${key}", but ${uri} has no such variable. Rename or remove it.`;
      project.report(file, mistake, 'FWK512');
    }
  }

  function reportScopes(file: string, scopes: readonly string[] | undefined): void {
    if (scopes === undefined || (auth && isScopes(scopes))) return;
    const mistake = isScopes(scopes)
      ? 'has scopes, but nothing checks tokens. Add mcp/auth, or remove the scopes.'
      : `has scopes ${JSON.stringify(scopes)}. Give a list of names without spaces.`;
    project.report(file, mistake, 'FWK515');
  }

  /** The name or URI that `derive` returns. Reports a NameError. */
  function derived<Value>(file: string, derive: () => Value): Value | undefined {
    try {
      return derive();
    } catch (thrown) {
      if (!(thrown instanceof NameError)) throw thrown;
      project.report(file, thrown.message, 'FWK512');
      return undefined;
    }
  }

  function named({ file }: Entry, given: string | undefined): string | undefined {
    const name = derived(file, () => given ?? nameOf(below(file)));
    if (name === undefined || isName(name)) return name;
    project.report(file, wrongName(name), 'FWK512');
    return undefined;
  }

  async function compiled(
    schema: Schema | undefined,
    side: 'input' | 'output',
    entry: Entry,
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

  /** Add an entry; reports a duplicate name or URI. */
  function put<Value extends { readonly file: string }>(
    all: Map<string, Value>,
    key: string,
    value: Value,
    kind: string,
  ): void {
    const first = all.get(key);
    if (!first) return void all.set(key, value);
    const mistake = `defines the ${kind} ${key}, which ${project.display(first.file)} also defines. Rename or delete one of them.`;
    project.report(value.file, mistake, 'FWK513');
  }
}

const isName = (name: string): boolean => /^[\w.-]{1,128}$/.test(name);

const wrongName = (name: string): string =>
  `has the name ${JSON.stringify(name)}. Use 1 to 128 letters, digits, "_", "-" and ".".`;

const STRAY =
  'is not in mcp/tools/, mcp/resources/ or mcp/prompts/, and is not mcp/auth. Move it there, or begin its name with "_".';

/** Sorts by key, so that lists do not depend on the order of files on disk. */
const sorted = <Value>(entries: ReadonlyMap<string, Value>): Map<string, Value> =>
  new Map([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));

const below = (file: string): string => file.slice('mcp/'.length);
