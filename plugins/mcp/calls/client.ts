import { setImmediate } from 'node:timers/promises';
import { coded, isObject, messageOf, type Project } from '../../../kernel/index.js';
import { isUnavailable } from '../../../peers/index.js';
import { type RuntimeCtx, scopeLogger } from '../../../scope/index.js';
import { type HttpRequest, isHttpError, isStandardSchema } from '../../http/index.js';
import {
  ActiveWork,
  describeIssues,
  logUnavailable,
  rejectEnded,
  retrySeconds,
} from '../../http/internal.js';
import type { Ask, AskOptions, Call, Identity, LogLevel } from '../definitions/call.js';
import type { Skills } from '../sdk/skills.js';
import { compileSchema } from '../table/schema.js';
import type { Table } from '../table/table.js';
import type { McpCall } from './mcp-call.js';

/** The tools, resources and prompts that one version of a project offers. */
export interface Offering {
  readonly table: Table;
  readonly project: Project;
  readonly skills?: Skills | undefined;
  /** The origin of the app, from its own configuration. */
  readonly originOf: (req: HttpRequest) => string;
}

/** The context in which messages are answered: the answering version, its `ctx` and the user. */
export class CallContext {
  readonly #calls = new ActiveWork();
  #hasRun = false;
  /** Undefined outside of sessions. */
  sessionId: string | undefined;
  /** Returns or throws the outcome of a call that has already run: the SDK only has to write its answer. */
  outcome: (() => Outcome) | undefined;

  constructor(
    readonly offering: Offering,
    readonly ctx: RuntimeCtx,
    readonly auth: Identity | undefined,
    /** The HTTP request that carried the message; undefined over stdio. */
    readonly request: HttpRequest | undefined,
  ) {}

  /** Record that project code is running for this context. Returns a function to call when it ends. */
  begin(): () => void {
    this.#hasRun = true;
    return this.#calls.begin();
  }

  /** Resolves when no project code runs for this context. Code of a cancelled call may run on. */
  async idle(): Promise<void> {
    // Code for a call that was cancelled immediately may be about to start.
    if (!this.#hasRun) await setImmediate();
    await this.#calls.idle();
  }
}

/** The client of one call, with everything that answering needs. Made by the SDK adapter. */
export interface Client {
  readonly signal: AbortSignal;
  readonly capabilities: Readonly<Record<string, unknown>>;
  progress(done: number, total?: number, message?: string): Promise<void>;
  log(level: LogLevel, data: unknown, logger?: string): Promise<void>;
  changed(uri: string): void;
  /** Sends a request and waits for its answer. Undefined: the call ends and returns its questions. */
  readonly send: ((method: string, params: object) => Promise<unknown>) | undefined;
  /** Answers that arrived with this call, by the name of the question. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** The call, if anything observes it. */
  observed?: McpCall;
}

/** An intentional JSON-RPC error: the client receives exactly this error. */
export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

export const INVALID_REQUEST = -32600;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** The client did not declare a capability that the call needs (MCP 2026-07-28). */
export const MISSING_CAPABILITY = -32021;

/** `what` does not exist. */
export const missing = (what: string, data?: unknown): RpcError =>
  new RpcError(INVALID_PARAMS, `There is no ${what}`, data);

interface Question {
  readonly method: string;
  readonly params?: object;
}

/** The call ends here: the client must answer `questions` and then call again. */
export interface InputRequired {
  readonly questions: Readonly<Record<string, Question>>;
  /** Answers from earlier rounds, which the client does not send again. */
  readonly answered: Readonly<Record<string, unknown>>;
}

/** The outcome of an operation: a result, or questions that must be answered first. */
export type Outcome =
  | { readonly result: Record<string, unknown> }
  | { readonly inputRequired: InputRequired };

/** One handler's questions to the client. The name of each identifies its answer in the next round. */
class ClientRequests {
  // Has no prototype, because handlers choose the names.
  readonly #questions: Record<string, Question> = Object.create(null);
  readonly #answered: Record<string, unknown> = Object.create(null);
  #count = 0;

  constructor(private readonly client: Client) {}

  readonly ask = ((method: string, params: object = {}, { key }: AskOptions = {}) => {
    this.#count += 1;
    const answer = this.#answer(method, params, key ?? `question-${this.#count}`);
    // The first of several questions in one round ends the handler, so nothing may await the others.
    answer.catch(() => {});
    return answer;
  }) as Ask;

  /** The questions that have no answer yet; undefined if every question is answered. */
  get inputRequired(): InputRequired | undefined {
    if (Object.keys(this.#questions).length === 0) return undefined;
    return { questions: this.#questions, answered: this.#answered };
  }

  async #answer(method: string, given: object, key: string): Promise<unknown> {
    const params = published(given);
    requireCapability(method, params, this.client.capabilities);
    const { send, answers } = this.client;
    if (send) return checked(await send(method, params), method, params, key);
    const answer = Object.hasOwn(answers, key) ? answers[key] : undefined;
    if (!isAnswer(answer, method)) {
      this.#questions[key] = method === 'roots/list' ? { method } : { method, params };
      throw new Error(`The client must answer "${key}" first: the handler then runs again`);
    }
    this.#answered[key] = answer;
    return checked(answer, method, params, key);
  }
}

/** A schema from a validation library is sent as its JSON Schema. */
function published(params: object): Readonly<Record<string, unknown>> {
  if (!('requestedSchema' in params) || !isStandardSchema(params.requestedSchema)) return { ...params };
  const { $schema: _dialect, ...requestedSchema } = compileSchema(params.requestedSchema, 'input').json;
  return { ...params, requestedSchema };
}

/** Throws RpcError if the client cannot answer, because the call would wait forever. */
function requireCapability(
  method: string,
  params: Readonly<Record<string, unknown>>,
  declared: Readonly<Record<string, unknown>>,
): void {
  const capability = CAPABILITIES.get(method);
  if (capability === undefined) {
    const known = [...CAPABILITIES.keys()].map((one) => JSON.stringify(one)).join(', ');
    throw coded('FWK520', `call.ask() takes ${known}, not ${JSON.stringify(method)}`);
  }
  let detail: string | undefined;
  if (capability === 'elicitation') detail = params.mode === 'url' ? 'url' : 'form';
  if (capability === 'sampling' && params.tools !== undefined) detail = 'tools';
  const has = declared[capability];
  // Clients of protocol versions without modes declare `{}`, which means that they support forms.
  const isForm = detail === 'form' && Object.keys(Object(has)).length === 0;
  if (isObject(has) && (detail === undefined || isForm || detail in has)) return;
  const needed = { [capability]: detail === undefined || detail === 'form' ? {} : { [detail]: {} } };
  const name = detail === undefined ? capability : `${capability}.${detail}`;
  const mistake = `The client cannot answer ${method}: it did not declare the capability "${name}"`;
  throw new RpcError(MISSING_CAPABILITY, mistake, { requiredCapabilities: needed });
}

/** The capability that a client must have declared for each method. */
const CAPABILITIES: ReadonlyMap<string, string> = new Map([
  ['elicitation/create', 'elicitation'],
  ['sampling/createMessage', 'sampling'],
  ['roots/list', 'roots'],
]);

/** Whether a client's value is a valid answer to a question of this method, or it is asked again. */
function isAnswer(answer: unknown, method: string): boolean {
  if (!isObject(answer)) return false;
  if (method === 'elicitation/create') return /^(?:accept|decline|cancel)$/.test(String(answer.action));
  if (method === 'roots/list') return Array.isArray(answer.roots);
  return 'role' in answer && 'content' in answer;
}

/** Check a filled-in form against the requested schema. Throws RpcError. */
async function checked(
  answer: unknown,
  method: string,
  { requestedSchema }: Readonly<Record<string, unknown>>,
  key: string,
): Promise<unknown> {
  const { content } = Object(answer);
  if (method !== 'elicitation/create' || content === undefined || !isObject(requestedSchema)) return answer;
  const { issues } = await compileSchema(requestedSchema, 'input').check(content);
  if (!issues) return answer;
  const reason = describeIssues(issues);
  throw new RpcError(INVALID_PARAMS, `The answer to "${key}" does not match the request: ${reason}`);
}

interface ProjectCall {
  readonly context: CallContext;
  readonly client: Client;
  /** The start of the sentence that reports a failure. */
  readonly what: string;
  readonly file: string;
  /** The URI of the resource being read. */
  readonly uri?: string;
}

/** Run project code. The client gets the message of an intentional error; any other error is hidden. */
export async function outcomeOf(
  { context, client, what, file, uri }: ProjectCall,
  run: (call: Call) => Promise<Record<string, unknown>>,
): Promise<Outcome> {
  const questions = new ClientRequests(client);
  try {
    const result = await run(callOf(context, client, questions.ask));
    const { inputRequired } = questions;
    return inputRequired ? { inputRequired } : { result };
  } catch (thrown) {
    const { inputRequired } = questions;
    if (inputRequired) return { inputRequired };
    if (thrown instanceof RpcError) throw thrown;
    if (isHttpError(thrown) && thrown.status < 500) {
      const isMissing = uri !== undefined && thrown.status === 404;
      throw new RpcError(INVALID_PARAMS, messageFor(thrown), isMissing ? { uri } : undefined);
    }
    throw new RpcError(INTERNAL_ERROR, describeFailure(thrown, what, file, context, client));
  }
}

const callOf = (context: CallContext, client: Client, ask: Ask): Call => ({
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
  ask,
  notify: (uri) => client.changed(uri),
});

/** The text of `error(4xx, body)` that is sent to a client. */
export function messageFor({ message, body }: { readonly message: string; readonly body: unknown }): string {
  const isPlain = typeof body === 'object' && body !== null && Object.keys(body).join() === 'message';
  return isPlain ? message : JSON.stringify(body);
}

/** Log an unintentional error. Returns the message for the client, with the reason in development. */
function describeFailure(
  thrown: unknown,
  what: string,
  file: string,
  { offering, request }: CallContext,
  client: Client,
): string {
  const { project } = offering;
  if (client.observed) client.observed.error = thrown;
  if (isUnavailable(thrown)) {
    logUnavailable(thrown, `${what} failed in ${project.display(file)}`, request, project);
    return `${what} needs a service that is temporarily unavailable. Try again in ${retrySeconds(thrown)} s.`;
  }
  // A cancelled call often fails because of the cancellation.
  if (!client.signal.aborted)
    scopeLogger(project.logger, request).error({ err: thrown }, `${what} failed in ${project.display(file)}`);
  return project.mode === 'development'
    ? `${what} failed: ${messageOf(thrown)} (${project.display(file)})`
    : `${what} failed on the server.`;
}

/** Log client mistakes, in development only: in production any client could fill the log with them. */
export const logFailures =
  ({ mode, logger }: Project) =>
  (failure: Error): void => {
    if (mode === 'development') logger.debug(`MCP: ${failure.message}`);
  };
