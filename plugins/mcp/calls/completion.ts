import { answering, type Outcome } from './answering.js';
import { INVALID_PARAMS, type Peer, Refused } from './client.js';
import { Questions } from './client-requests.js';
import type { Exchange } from './exchange.js';
import { enumerated } from './lists.js';

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
  const { file } = entry;
  const questions = new Questions(peer);
  const what = `The completion of ${argument.name}`;
  return answering({ questions, exchange, peer, what, file }, async () => {
    const listed = prompt?.input ? enumerated(prompt.input.json, argument.name) : [];
    const all = suggest
      ? await suggest(argument.value, exchange.ctx, context?.arguments ?? {})
      : listed.filter((value) => value.startsWith(argument.value));
    return { completion: { values: all.slice(0, MOST), total: all.length, hasMore: all.length > MOST } };
  });
}
