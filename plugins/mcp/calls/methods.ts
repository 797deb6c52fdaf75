import type { Outcome } from './answering.js';
import type { Peer } from './client.js';
import { type Completion, complete } from './completion.js';
import type { Exchange } from './exchange.js';
import { listPrompts, listTemplates, listTools } from './lists.js';
import { callTool, getPrompt, listAllResources, readResource, type ToolCall } from './operations.js';
import type { Subscriptions } from './subscriptions.js';

/** The parameters of any method here; the SDK has checked that those of this one are there. */
export type Params = ToolCall & Completion & { readonly uri: string };

export type Run = (exchange: Exchange, params: Params, peer: Peer) => Outcome | Promise<Outcome>;

/** What answers each method, for one connection: what it has subscribed to is in `subscribed`. */
export const methodsOf = (subscribed: Subscriptions): Readonly<Record<string, Run>> => ({
  'tools/list': ({ surface }) => ({ result: { tools: listTools(surface.table) } }),
  'tools/call': callTool,
  'resources/list': (exchange, _params, peer) => listAllResources(exchange, peer),
  'resources/templates/list': ({ surface }) => ({
    result: { resourceTemplates: listTemplates(surface.table) },
  }),
  'resources/read': (exchange, { uri }, peer) => readResource(exchange, uri, peer),
  'resources/subscribe': (exchange, { uri }) => {
    subscribed.add(uri, exchange);
    return { result: {} };
  },
  'resources/unsubscribe': (_exchange, { uri }) => {
    subscribed.delete(uri);
    return { result: {} };
  },
  'prompts/list': ({ surface }) => ({ result: { prompts: listPrompts(surface.table) } }),
  'prompts/get': getPrompt,
  'completion/complete': complete,
});
