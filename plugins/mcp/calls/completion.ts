import type { CallContext } from './call-context.js';
import { type Client, INVALID_PARAMS, RpcError } from './client.js';
import { ClientRequests } from './client-requests.js';
import { enumerated } from './lists.js';
import { type Outcome, outcomeOf } from './outcome.js';

export interface Completion {
  readonly ref: { readonly type: string; readonly name?: string; readonly uri?: string };
  readonly argument: { readonly name: string; readonly value: string };
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> | undefined } | undefined;
}

/** The most values of one completion (MCP 2025-11-25, Completion). */
const MAX_COMPLETION_VALUES = 100;

/** completion/complete. Throws RpcError. */
export async function complete(
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
