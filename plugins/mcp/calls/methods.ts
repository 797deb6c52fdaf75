import { coded, isThenable } from '../../../kernel/index.js';
import { isHttpError } from '../../http/index.js';
import { describeIssues, rejectEnded } from '../../http/internal.js';
import { withPage } from '../apps/pages.js';
import type { Call } from '../definitions/call.js';
import type { ByteBudget } from '../sdk/byte-budget.js';
import type { CompiledSchema } from '../table/schema.js';
import { findResource, type ToolEntry, type ToolSchemas } from '../table/table.js';
import type { CallContext } from './call-context.js';
import {
  type Client,
  ClientRequests,
  describeFailure,
  INVALID_PARAMS,
  MISSING_CAPABILITY,
  messageFor,
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
    if (!skill) throw new RpcError(INVALID_PARAMS, `There is no skill ${uri}`, { uri });
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
export async function callTool(context: CallContext, call: ToolCall, client: Client): Promise<Outcome> {
  const entry = context.offering.table.tools.get(call.name);
  if (!entry) throw new RpcError(INVALID_PARAMS, `There is no tool "${call.name}"`);
  const { file } = entry;
  const failed = (message: string): Outcome => ({ result: { content: [text(message)], isError: true } });
  const questions = new ClientRequests(client);
  try {
    const schemas = await entry.schemas();
    const given = await read(schemas.input, call.arguments);
    if ('wrong' in given) return failed(`The arguments of ${call.name} are invalid. ${given.wrong}`);
    const called = entry.run(given.value, callOf(context, client, questions), context);
    const returned = isThenable(called) ? await called : called;
    const { inputRequired } = questions;
    if (inputRequired) return { inputRequired };
    const result = await finishTool(entry, schemas, returned);
    if (entry.tool.view === undefined) return { result };
    return { result: await withPage(entry, result, call, client.capabilities, context.offering.project) };
  } catch (thrown) {
    const { inputRequired } = questions;
    if (inputRequired) return { inputRequired };
    if (thrown instanceof RpcError) {
      if (thrown.code === MISSING_CAPABILITY && !client.send) throw thrown;
      return failed(thrown.message);
    }
    if (isHttpError(thrown) && thrown.status < 500) return failed(messageFor(thrown));
    return failed(describeFailure(thrown, `The tool ${call.name}`, file, context, client));
  }
}

async function readResource(context: CallContext, uri: string, client: Client): Promise<Outcome> {
  const found = findResource(context.offering.table, uri);
  const missing = () => new RpcError(INVALID_PARAMS, `There is no resource ${uri}`, { uri });
  if (!found) throw missing();
  const { resource, file } = found.entry;
  const { request, offering } = context;
  if ('read' in found.entry && found.entry.read)
    return { result: await found.entry.read(request && offering.originOf(request)) };
  const questions = new ClientRequests(client);
  return outcomeOf({ questions, context, client, what: `The resource ${uri}`, file, uri }, async () => {
    const call = { ...callOf(context, client, questions), uri };
    const value = await resource.handler(found.variables, context.ctx, call);
    const result = resourceResult(value, uri, resource.mimeType);
    if (!result && !questions.inputRequired) throw missing();
    return result ?? {};
  });
}

async function listAllResources(context: CallContext, client: Client): Promise<Outcome> {
  const listed = await Promise.all(
    visibleTemplates(context).map(async ({ uri, resource, file }) => {
      const call = {
        questions: new ClientRequests(client),
        context,
        client,
        what: `The list of ${uri.text}`,
        file,
      };
      const outcome = await outcomeOf(call, async () => ({ all: await listOf(resource, context.ctx) }));
      return 'result' in outcome && Array.isArray(outcome.result.all) ? outcome.result.all : [];
    }),
  );
  return { result: { resources: [...listResources(context), ...listed.flat()] } };
}

async function getPrompt(context: CallContext, call: ToolCall, client: Client): Promise<Outcome> {
  const entry = context.offering.table.prompts.get(call.name);
  if (!entry) throw new RpcError(INVALID_PARAMS, `There is no prompt "${call.name}"`);
  const { prompt, input, file } = entry;
  const questions = new ClientRequests(client);
  return outcomeOf({ questions, context, client, what: `The prompt ${call.name}`, file }, async () => {
    const given = await read(input, call.arguments);
    if ('wrong' in given)
      throw new RpcError(INVALID_PARAMS, `The arguments of ${call.name} are invalid. ${given.wrong}`);
    const value = await prompt.handler(given.value, context.ctx, callOf(context, client, questions));
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

async function complete(
  call: CallContext,
  { ref, argument, context }: Completion,
  client: Client,
): Promise<Outcome> {
  const { table } = call.offering;
  const name = ref.name ?? '';
  const uri = ref.uri ?? '';
  const prompt = ref.type === 'ref/prompt' ? table.prompts.get(name) : undefined;
  const resource =
    ref.type === 'ref/resource' ? (table.templates.get(uri) ?? table.resources.get(uri)) : undefined;
  const entry = prompt ?? resource;
  if (!entry)
    throw new RpcError(
      INVALID_PARAMS,
      `There is no ${ref.type === 'ref/prompt' ? `prompt "${name}"` : `resource ${uri}`}`,
    );
  const completes = (prompt?.prompt ?? resource?.resource)?.complete ?? {};
  const suggest = Object.hasOwn(completes, argument.name) ? completes[argument.name] : undefined;
  const { file } = entry;
  const questions = new ClientRequests(client);
  const what = `The completion of ${argument.name}`;
  return outcomeOf({ questions, context: call, client, what, file }, async () => {
    const listed = prompt?.input ? enumerated(prompt.input.json, argument.name) : [];
    const all = suggest
      ? await suggest(argument.value, call.ctx, context?.arguments ?? {})
      : listed.filter((value) => value.startsWith(argument.value));
    return {
      completion: {
        values: all.slice(0, MAX_COMPLETION_VALUES),
        total: all.length,
        hasMore: all.length > MAX_COMPLETION_VALUES,
      },
    };
  });
}

function callOf(context: CallContext, client: Client, questions: ClientRequests): Call {
  return {
    // Created on first access.
    get signal() {
      return client.signal;
    },
    sessionId: context.sessionId,
    auth: context.auth,
    clientCapabilities: client.capabilities,
    progress: (done, total, message) =>
      client.signal.aborted ? rejectEnded() : client.progress(done, total, message),
    log: (level, data, logger) => client.log(level, data, logger),
    ask: questions.ask,
    notify: (uri) => client.changed(uri),
  };
}

async function read(
  input: CompiledSchema | undefined,
  given: unknown,
): Promise<{ readonly value: unknown } | { readonly wrong: string }> {
  if (!input) return { value: {} };
  const checked = input.check(given ?? {});
  const { issues, ...rest } = isThenable(checked) ? await checked : checked;
  return issues ? { wrong: describeIssues(issues) } : { value: 'value' in rest ? rest.value : undefined };
}

async function finishTool(
  { file }: ToolEntry,
  { output }: ToolSchemas,
  returned: unknown,
): Promise<Record<string, unknown>> {
  if (!output) return toolResult(returned);
  const whole = toolResult(returned);
  // A handler may return a complete result, such as an error, or text with the structured content.
  if (whole === returned && whole.isError === true) return whole;
  const structure = whole === returned ? whole.structuredContent : returned;
  const checked = await output.check(structure);
  if (checked.issues)
    throw coded(
      'FWK414',
      `${file} returned what its output does not allow: ${describeIssues(checked.issues)}`,
    );
  return whole === returned
    ? { ...whole, structuredContent: checked.value }
    : { content: [text(JSON.stringify(checked.value))], structuredContent: checked.value };
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
    if (!findResource(offering.table, uri))
      throw new RpcError(INVALID_PARAMS, `There is no resource ${uri}`, { uri });
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
