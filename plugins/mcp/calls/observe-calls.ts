import { isObject, type Project } from '../../../kernel/index.js';
import { logSafely } from '../../../scope/index.js';
import { findResource } from '../table/table.js';
import { type CallContext, type Client, type Outcome, RpcError } from './client.js';
import { CALL_END, CALL_START, McpCall, type McpCallWrapper, wrappersOf } from './mcp-call.js';
import type { Params, Run } from './methods.js';

/** Run a method, and observe it if anything subscribes to calls. */
export function runObserved(
  method: string,
  run: Run,
  context: CallContext,
  params: Params,
  client: Client,
): Outcome | Promise<Outcome> {
  const wrappers = wrappersOf(context.offering.project);
  if (wrappers.length === 0 && !CALL_START.hasSubscribers && !CALL_END.hasSubscribers)
    return run(context, params, client);
  const meta = '_meta' in params && isObject(params._meta) ? { ...params._meta } : {};
  const target = targetOf(method, context, params);
  const call = new McpCall(method, target, context.sessionId, context.request?.raw, meta);
  client.observed = call;
  return watched(call, wrappers, context.offering.project, async () => run(context, params, client));
}

async function watched(
  call: McpCall,
  wrappers: readonly McpCallWrapper[],
  project: Project,
  run: () => Promise<Outcome>,
): Promise<Outcome> {
  let give = (): Outcome => {
    throw new Error('a call has no outcome');
  };
  const within = async (depth: number): Promise<void> => {
    const wrap = wrappers[depth];
    if (!wrap) {
      give = await runOnce(call, run);
      return;
    }
    let inner: Promise<void> | undefined;
    const next = (): Promise<void> => (inner ??= within(depth + 1));
    try {
      await wrap(call, next);
    } catch (thrown) {
      logSafely(project.logger, 'error', 'An observer of MCP calls failed', thrown);
    }
    return next();
  };
  await within(0);
  return give();
}

/** Resolves with a function that returns or throws the outcome. */
async function runOnce(call: McpCall, run: () => Promise<Outcome>): Promise<() => Outcome> {
  if (CALL_START.hasSubscribers) CALL_START.publish(call);
  try {
    const outcome = await run();
    call.isError = 'result' in outcome && outcome.result.isError === true;
    return () => outcome;
  } catch (thrown) {
    if (thrown instanceof RpcError) call.code = thrown.code;
    else call.error ??= thrown;
    return () => {
      throw thrown;
    };
  } finally {
    McpCall.end(call);
    if (CALL_END.hasSubscribers) CALL_END.publish(call);
  }
}

/** Only names that the project defines: the number of names that clients send is unbounded. */
function targetOf(method: string, { offering }: CallContext, { name, uri }: Params): string | undefined {
  const { table } = offering;
  if (method === 'tools/call') return table.tools.has(name) ? name : undefined;
  if (method === 'prompts/get') return table.prompts.has(name) ? name : undefined;
  if (method !== 'resources/read') return undefined;
  const found = findResource(table, uri)?.entry.uri;
  return typeof found === 'string' ? found : found?.text;
}
