import { coded, isThenable } from '../../../kernel/index.js';
import { describeIssues } from '../../http/internal.js';
import { withPage } from '../apps/pages.js';
import type { ByteBudget } from '../sdk/byte-budget.js';
import type { CompiledSchema } from '../table/schema.js';
import { findResource, type ToolEntry, type ToolSchemas } from '../table/table.js';
import {
  type CallContext,
  type Client,
  INVALID_PARAMS,
  MISSING_CAPABILITY,
  missing,
  type Outcome,
  outcomeOf,
  RpcError,
} from './client.js';
import { promptResult, resourceResult, text, toolResult } from './content.js';
import {
  enumerated,
  listOf,
  listPrompts,
  listResources,
  listTemplates,
  listTools,
  visibleTemplates,
} from './lists.js';

/** The parameters of any method below; the SDK has checked that the method's own parameters are present. */
export type Params = ToolCall & Completion & { readonly uri: string };

export type Run = (context: CallContext, params: Params, client: Client) => Outcome | Promise<Outcome>;

/** The implementation of each method for one connection, whose subscriptions are `subscribed`. */
export const methodsOf = (subscribed: Subscriptions): Readonly<Record<string, Run>> => ({
  'tools/list': async (context) => ({ result: { tools: await listTools(context) } }),
  'tools/call': callTool,
  'resources/list': (context, _params, client) => listAllResources(context, client),
  'resources/templates/list': (context) => ({ result: { resourceTemplates: listTemplates(context) } }),
  'resources/read': (context, { uri }, client) => readResource(context, uri, client),
  'resources/subscribe': (context, { uri }) => {
    subscribed.add(uri, context);
    return { result: {} };
  },
  'resources/unsubscribe': (_context, { uri }) => {
    subscribed.delete(uri);
    return { result: {} };
  },
  'prompts/list': (context) => ({ result: { prompts: listPrompts(context) } }),
  'prompts/get': getPrompt,
  'completion/complete': complete,
  'skills/list': async ({ offering }) => ({
    result: { skills: (await offering.skills?.entries()) ?? [], ...UNCACHED },
  }),
  'skills/get': async ({ offering }, { uri }) => {
    const skill = (await offering.skills?.entries())?.find((one) => one.uri === uri);
    if (!skill) throw missing(`skill ${uri}`, { uri });
    return { result: { skill, ...UNCACHED } };
  },
});

/** The results of the skills extension that must not be cached (SEP-2640). */
const UNCACHED = { ttlMs: 0, cacheScope: 'private' };

interface ToolCall {
  readonly name: string;
  readonly arguments?: unknown;
}

/** tools/call. A tool's own failure is returned as a result, for the model to read. Throws RpcError. */
export async function callTool(context: CallContext, params: ToolCall, client: Client): Promise<Outcome> {
  const { table, project } = context.offering;
  const entry = table.tools.get(params.name);
  if (!entry) throw missing(`tool "${params.name}"`);
  const { file, tool } = entry;
  try {
    return await outcomeOf({ context, client, what: `The tool ${params.name}`, file }, async (call) => {
      const schemas = await entry.schemas();
      const called = entry.run(await read(schemas.input, params), call, context);
      const result = await finishTool(entry, schemas, isThenable(called) ? await called : called);
      if (tool.view === undefined) return result;
      return withPage(entry, result, params, client.capabilities, project);
    });
  } catch (thrown) {
    if (!(thrown instanceof RpcError) || (thrown.code === MISSING_CAPABILITY && !client.send)) throw thrown;
    return { result: { content: [text(thrown.message)], isError: true } };
  }
}

async function readResource(context: CallContext, uri: string, client: Client): Promise<Outcome> {
  const found = findResource(context.offering.table, uri);
  if (!found) throw missing(`resource ${uri}`, { uri });
  const { resource, file } = found.entry;
  const { request, offering } = context;
  if ('read' in found.entry && found.entry.read)
    return { result: await found.entry.read(request && offering.originOf(request)) };
  return outcomeOf({ context, client, what: `The resource ${uri}`, file, uri }, async (call) => {
    const value = await resource.handler(found.variables, context.ctx, Object.assign(call, { uri }));
    const result = resourceResult(value, uri, resource.mimeType);
    if (!result) throw missing(`resource ${uri}`, { uri });
    return result;
  });
}

async function listAllResources(context: CallContext, client: Client): Promise<Outcome> {
  const listed = await Promise.all(
    visibleTemplates(context).map(async ({ uri, resource, file }) => {
      const list = { context, client, what: `The list of ${uri.text}`, file };
      const outcome = await outcomeOf(list, async () => ({ all: await listOf(resource, context.ctx) }));
      return 'result' in outcome && Array.isArray(outcome.result.all) ? outcome.result.all : [];
    }),
  );
  return { result: { resources: [...listResources(context), ...listed.flat()] } };
}

async function getPrompt(context: CallContext, params: ToolCall, client: Client): Promise<Outcome> {
  const entry = context.offering.table.prompts.get(params.name);
  if (!entry) throw missing(`prompt "${params.name}"`);
  const { prompt, input, file } = entry;
  return outcomeOf({ context, client, what: `The prompt ${params.name}`, file }, async (call) => {
    const value = await prompt.handler(await read(input, params), context.ctx, call);
    return promptResult(value, prompt.description);
  });
}

interface Completion {
  readonly ref: { readonly type: string; readonly name?: string; readonly uri?: string };
  readonly argument: { readonly name: string; readonly value: string };
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> | undefined } | undefined;
}

/** The maximum number of values in one completion (MCP 2025-11-25, Completion). */
const MAX_COMPLETION_VALUES = 100;

async function complete(call: CallContext, params: Completion, client: Client): Promise<Outcome> {
  const { ref, argument, context } = params;
  const { name = '', uri = '' } = ref;
  const { prompts, templates, resources } = call.offering.table;
  const isPrompt = ref.type === 'ref/prompt';
  const prompt = isPrompt ? prompts.get(name) : undefined;
  const resource = ref.type === 'ref/resource' ? (templates.get(uri) ?? resources.get(uri)) : undefined;
  const entry = prompt ?? resource;
  if (!entry) throw missing(isPrompt ? `prompt "${name}"` : `resource ${uri}`);
  const completes = (prompt?.prompt ?? resource?.resource)?.complete ?? {};
  const suggest = Object.hasOwn(completes, argument.name) ? completes[argument.name] : undefined;
  const what = `The completion of ${argument.name}`;
  return outcomeOf({ context: call, client, what, file: entry.file }, async () => {
    const listed = prompt?.input ? enumerated(prompt.input.json, argument.name) : [];
    const all = suggest
      ? await suggest(argument.value, call.ctx, context?.arguments ?? {})
      : listed.filter((value) => value.startsWith(argument.value));
    const values = all.slice(0, MAX_COMPLETION_VALUES);
    return { completion: { values, total: all.length, hasMore: all.length > values.length } };
  });
}

/** The checked arguments of a tool or a prompt. Rejects with an RpcError. */
async function read(
  input: CompiledSchema | undefined,
  { name, arguments: given }: ToolCall,
): Promise<unknown> {
  if (!input) return {};
  const checking = input.check(given ?? {});
  const { issues, ...rest } = isThenable(checking) ? await checking : checking;
  if (!issues) return 'value' in rest ? rest.value : undefined;
  throw new RpcError(INVALID_PARAMS, `The arguments of ${name} are invalid. ${describeIssues(issues)}`);
}

async function finishTool(
  { file }: ToolEntry,
  { output }: ToolSchemas,
  returned: unknown,
): Promise<Record<string, unknown>> {
  const result = toolResult(returned);
  // A handler may return a complete result, such as an error, or text with the structured content.
  const isComplete = result === returned;
  if (!output || (isComplete && result.isError === true)) return result;
  const checked = await output.check(isComplete ? result.structuredContent : returned);
  if (checked.issues)
    throw coded(
      'FWK414',
      `${file} returned what its output does not allow: ${describeIssues(checked.issues)}`,
    );
  const structuredContent = checked.value;
  if (isComplete) return { ...result, structuredContent };
  return { content: [text(JSON.stringify(structuredContent))], structuredContent };
}

/** Memory overhead of a set entry, excluding its text, in bytes. */
const ENTRY_OVERHEAD_BYTES = 80;

/** The resources that one client has subscribed to, within a byte budget. */
export class Subscriptions {
  readonly #uris = new Set<string>();

  constructor(private readonly budget: ByteBudget) {}

  has(uri: string): boolean {
    return this.#uris.has(uri);
  }

  /** Throws RpcError if no resource has the URI, and if the client has too many subscriptions. */
  add(uri: string, { offering }: CallContext): void {
    if (this.#uris.has(uri)) return;
    if (!findResource(offering.table, uri)) throw missing(`resource ${uri}`, { uri });
    if (!this.budget.take(ENTRY_OVERHEAD_BYTES + uri.length))
      throw new RpcError(
        INVALID_PARAMS,
        'This client has too many subscriptions (mcp.sessionLimit): unsubscribe from a resource first',
      );
    this.#uris.add(uri);
  }

  delete(uri: string): void {
    if (this.#uris.delete(uri)) this.budget.give(ENTRY_OVERHEAD_BYTES + uri.length);
  }
}
