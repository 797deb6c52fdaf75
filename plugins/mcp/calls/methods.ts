import type { CallContext } from './call-context.js';
import type { Client } from './client.js';
import { type Completion, complete } from './completion.js';
import { listPrompts, listTemplates, listTools } from './lists.js';
import { callTool, getPrompt, listAllResources, readResource, type ToolCall } from './operations.js';
import type { Outcome } from './outcome.js';
import type { Subscriptions } from './subscriptions.js';

/** The parameters of any method here; the SDK has checked that those of this one are there. */
export type Params = ToolCall & Completion & { readonly uri: string };

export type Run = (context: CallContext, params: Params, client: Client) => Outcome | Promise<Outcome>;

/** The implementation of each method for one connection, whose subscriptions are in `subscribed`. */
export const methodsOf = (subscribed: Subscriptions): Readonly<Record<string, Run>> => ({
  'tools/list': async ({ offering }) => ({ result: { tools: await listTools(offering) } }),
  'tools/call': callTool,
  'resources/list': (context, _params, client) => listAllResources(context, client),
  'resources/templates/list': ({ offering }) => ({
    result: { resourceTemplates: listTemplates(offering.table) },
  }),
  'resources/read': (context, { uri }, client) => readResource(context, uri, client),
  'resources/subscribe': (context, { uri }) => {
    subscribed.add(uri, context);
    return { result: {} };
  },
  'resources/unsubscribe': (_context, { uri }) => {
    subscribed.delete(uri);
    return { result: {} };
  },
  'prompts/list': ({ offering }) => ({ result: { prompts: listPrompts(offering.table) } }),
  'prompts/get': getPrompt,
  'completion/complete': complete,
});
