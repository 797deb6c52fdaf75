import { isHttpError, isThenable } from '../http/index.js';
import type { Call } from './call.js';
import { promptResult, resourceResult, text, toolResult } from './content.js';
import type { Exchange } from './exchange.js';
import { describeFailure } from './failure.js';
import { enumerated } from './lists.js';
import { INTERNAL_ERROR, INVALID_PARAMS, MISSING_CAPABILITY, type Peer, Refused } from './peer.js';
import { type InputRequired, Questions } from './questions.js';
import type { CompiledSchema } from './schema.js';
import { tellIssues } from './standard-schema.js';
import { findResource, type ToolEntry } from './table.js';

/** What an operation comes to: a result, or questions that have to be answered first. */
export type Outcome =
  | { readonly result: Record<string, unknown> }
  | { readonly inputRequired: InputRequired };

export interface ToolCall {
  readonly name: string;
  readonly arguments?: unknown;
}

/** tools/call. What goes wrong inside the tool is a result that tells the model. Throws Refused. */
export async function callTool(exchange: Exchange, asked: ToolCall, peer: Peer): Promise<Outcome> {
  const entry = exchange.surface.table.tools.get(asked.name);
  if (!entry) throw new Refused(INVALID_PARAMS, `There is no tool "${asked.name}"`);
  const { file, tool, input } = entry;
  const failed = (message: string): Outcome => ({ result: { content: [text(message)], isError: true } });
  const questions = new Questions(peer);
  try {
    const given = await read(input, asked.arguments);
    if ('wrong' in given) return failed(`The arguments of ${asked.name} are not valid. ${given.wrong}`);
    const called = tool.handler(given.value, exchange.ctx, callOf(exchange, peer, questions));
    const returned = isThenable(called) ? await called : called;
    const { inputRequired } = questions;
    return inputRequired ? { inputRequired } : { result: await finishTool(entry, returned) };
  } catch (thrown) {
    const { inputRequired } = questions;
    if (inputRequired) return { inputRequired };
    if (thrown instanceof Refused) {
      if (thrown.code === MISSING_CAPABILITY && !peer.send) throw thrown;
      return failed(thrown.message);
    }
    if (isHttpError(thrown) && thrown.status < 500) return failed(told(thrown));
    return failed(describeFailure(thrown, `The tool ${asked.name}`, file, exchange, peer));
  }
}

/** resources/read. Throws Refused, for a resource that is not there too. */
export async function readResource(exchange: Exchange, uri: string, peer: Peer): Promise<Outcome> {
  const found = findResource(exchange.surface.table, uri);
  const missing = () => new Refused(INVALID_PARAMS, `There is no resource ${uri}`, { uri });
  if (!found) throw missing();
  const { resource, file } = found.entry;
  const questions = new Questions(peer);
  return answering(questions, exchange, peer, `The resource ${uri}`, file, async () => {
    const call = { ...callOf(exchange, peer, questions), uri };
    const value = await orMissing(() => resource.handler(found.variables, exchange.ctx, call), missing);
    const result = resourceResult(value, uri, resource.mimeType);
    if (!result && !questions.inputRequired) throw missing();
    return result ?? {};
  });
}

/** prompts/get. Throws Refused. */
export async function getPrompt(exchange: Exchange, asked: ToolCall, peer: Peer): Promise<Outcome> {
  const entry = exchange.surface.table.prompts.get(asked.name);
  if (!entry) throw new Refused(INVALID_PARAMS, `There is no prompt "${asked.name}"`);
  const { prompt, input, file } = entry;
  const questions = new Questions(peer);
  return answering(questions, exchange, peer, `The prompt ${asked.name}`, file, async () => {
    const given = await read(input, asked.arguments);
    if ('wrong' in given)
      throw new Refused(INVALID_PARAMS, `The arguments of ${asked.name} are not valid. ${given.wrong}`);
    const value = await prompt.handler(given.value, exchange.ctx, callOf(exchange, peer, questions));
    return promptResult(value, prompt.description);
  });
}

export interface Completion {
  readonly ref: { readonly type: string; readonly name?: string; readonly uri?: string };
  readonly argument: { readonly name: string; readonly value: string };
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> | undefined } | undefined;
}

/** The most values of one completion (MCP 2025-11-25, Completion). */
const MOST = 100;

/** completion/complete. Throws Refused. */
export async function complete(
  exchange: Exchange,
  { ref, argument, context }: Completion,
  peer: Peer,
): Promise<Outcome> {
  const { table } = exchange.surface;
  const name = ref.name ?? '';
  const uri = ref.uri ?? '';
  const prompt = ref.type === 'ref/prompt' ? table.prompts.get(name) : undefined;
  const resource =
    ref.type === 'ref/resource' ? (table.templates.get(uri) ?? table.resources.get(uri)) : undefined;
  const entry = prompt ?? resource;
  if (!entry)
    throw new Refused(
      INVALID_PARAMS,
      `There is no ${ref.type === 'ref/prompt' ? `prompt "${name}"` : `resource ${uri}`}`,
    );
  const completes = (prompt?.prompt ?? resource?.resource)?.complete ?? {};
  const suggest = Object.hasOwn(completes, argument.name) ? completes[argument.name] : undefined;
  return answering(
    new Questions(peer),
    exchange,
    peer,
    `The completion of ${argument.name}`,
    entry.file,
    async () => {
      const listed = prompt?.input ? enumerated(prompt.input.json, argument.name) : [];
      const all = suggest
        ? await suggest(argument.value, exchange.ctx, context?.arguments ?? {})
        : listed.filter((value) => value.startsWith(argument.value));
      return { completion: { values: all.slice(0, MOST), total: all.length, hasMore: all.length > MOST } };
    },
  );
}

/** `error(404, …)` says the same as returning nothing. */
async function orMissing(read: () => unknown, missing: () => Refused): Promise<unknown> {
  try {
    return await read();
  } catch (thrown) {
    throw isHttpError(thrown) && thrown.status === 404 ? missing() : thrown;
  }
}

/** What a handler throws is told if it was thrown on purpose, and hidden if not. */
async function answering(
  questions: Questions,
  exchange: Exchange,
  peer: Peer,
  what: string,
  file: string,
  run: () => Promise<Record<string, unknown>>,
): Promise<Outcome> {
  try {
    const result = await run();
    const { inputRequired } = questions;
    return inputRequired ? { inputRequired } : { result };
  } catch (thrown) {
    const { inputRequired } = questions;
    if (inputRequired) return { inputRequired };
    if (thrown instanceof Refused) throw thrown;
    if (isHttpError(thrown) && thrown.status < 500) throw new Refused(INVALID_PARAMS, told(thrown));
    throw new Refused(INTERNAL_ERROR, describeFailure(thrown, what, file, exchange, peer));
  }
}

function callOf(exchange: Exchange, peer: Peer, questions: Questions): Call {
  return {
    signal: peer.signal,
    sessionId: exchange.sessionId,
    auth: exchange.auth,
    clientCapabilities: peer.capabilities,
    progress: (done, total, message) => peer.progress(done, total, message),
    log: (level, data, logger) => peer.log(level, data, logger),
    ask: questions.ask,
    notify: (uri) => peer.changed(uri),
  };
}

async function read(
  input: CompiledSchema | undefined,
  given: unknown,
): Promise<{ readonly value: unknown } | { readonly wrong: string }> {
  if (!input) return { value: {} };
  const checked = input.check(given ?? {});
  const { issues, ...rest } = isThenable(checked) ? await checked : checked;
  return issues ? { wrong: tellIssues(issues) } : { value: 'value' in rest ? rest.value : undefined };
}

async function finishTool({ file, output }: ToolEntry, returned: unknown): Promise<Record<string, unknown>> {
  if (!output) return toolResult(returned);
  const whole = toolResult(returned);
  // A handler may answer with a whole result: an error, say, or with text of its own beside the structure.
  if (whole === returned && whole.isError === true) return whole;
  const structure = whole === returned ? whole.structuredContent : returned;
  const checked = await output.check(structure);
  if (checked.issues)
    throw new TypeError(`${file} returned what its output does not allow: ${tellIssues(checked.issues)}`);
  return whole === returned
    ? { ...whole, structuredContent: checked.value }
    : { content: [text(JSON.stringify(checked.value))], structuredContent: checked.value };
}

/** What `error(4xx, body)` says. */
function told({ message, body }: { readonly message: string; readonly body: unknown }): string {
  const isPlain = typeof body === 'object' && body !== null && Object.keys(body).join() === 'message';
  return isPlain ? message : JSON.stringify(body);
}
