import { isObject } from '../../../kernel/index.js';
import { error } from '../../http/index.js';
import { Bytes, describeIssues, type SchemaIssue } from '../../http/internal.js';
import { messageFor } from '../calls/client.js';
import { text } from '../calls/content.js';
import type { JsonSchema } from '../definitions/schema-types.js';

export interface AnswerOptions {
  readonly name: string;
  /** The schema of the result, if it is sent as structured content. */
  readonly output: JsonSchema | undefined;
  readonly limit: number;
}

/** The result of tools/call for a route's response. Throws an HttpError if it is not a success. */
export async function toolAnswer(
  response: Response,
  url: string,
  options: AnswerOptions,
): Promise<Record<string, unknown>> {
  const { status, headers } = response;
  const { name, limit, output } = options;
  if (status >= 300 && status < 400) {
    void response.body?.cancel();
    const location = headers.get('location');
    const target = location === null ? `answers ${status}` : `redirects to ${location} (${status})`;
    throw error(422, `The route ${target}`);
  }
  const [type = '', ...parameters] = (headers.get('content-type') ?? '').toLowerCase().split(/\s*;\s*/);
  if (type === 'text/event-stream') {
    void response.body?.cancel();
    throw error(422, 'The route answers with an event stream, which a tool cannot return.');
  }
  const bytes = await read(response, limit);
  const isJson = /^application\/(.+\+)?json$/.test(type);
  if (status === 503)
    return failed(`The tool ${name} needs a service that is temporarily unavailable. Try again soon.`);
  if (status >= 500) return failed(`The tool ${name} failed on the server.`);
  if (status >= 400)
    return failed(isJson ? reasonIn(parsed(bytes)) : bytes.toString() || `The route answers ${status}`);
  const isText =
    isJson ||
    /^text\/|[/+]xml$|javascript$/.test(type) ||
    parameters.some((one) => one.startsWith('charset='));
  if (output) {
    const body = isJson ? parsed(bytes) : isText ? bytes.toString() : undefined;
    const structuredContent = bytes.length === 0 ? null : body;
    if (structuredContent === undefined || (output.type === 'object' && !isObject(structuredContent)))
      return failed(`The tool ${name} did not return a value that its output schema allows.`);
    return { content: bytes.length === 0 ? [] : [text(bytes.toString())], structuredContent };
  }
  if (bytes.length === 0) return { content: [] };
  if (isText) return { content: [text(bytes.toString())] };
  const data = bytes.toString('base64');
  const [kind] = type.split('/');
  if (kind === 'image' || kind === 'audio') return { content: [{ type: kind, data, mimeType: type }] };
  const mimeType = type === '' ? 'application/octet-stream' : type;
  return { content: [{ type: 'resource', resource: { uri: url, mimeType, blob: data } }] };
}

const failed = (message: string) => ({ content: [text(message)], isError: true });

async function read({ body }: Response, limit: number): Promise<Buffer> {
  const bytes = new Bytes();
  // Leaving the loop early cancels the stream, and therefore the request.
  for await (const chunk of body ?? []) {
    if (bytes.size + chunk.length > limit)
      throw error(422, `The answer is larger than the limit of ${limit} bytes (mcp.bodyLimit).`);
    bytes.add(Buffer.from(chunk));
  }
  return bytes.take();
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

/** The reason in the body of an error: its message, and each issue with the argument that it is about. */
function reasonIn(body: unknown): string {
  if (!isObject(body) || typeof body.message !== 'string') return JSON.stringify(body) ?? '';
  const { message, errors, status, title, ...more } = body;
  if (status === undefined || title === undefined || Object.keys(more).length > 0)
    return messageFor({ message, body });
  if (!Array.isArray(errors)) return message;
  return `${message}. ${errors.every(isIssue) ? describeIssues(errors) : JSON.stringify(errors)}`;
}

const isIssue = (value: unknown): value is SchemaIssue =>
  isObject(value) && typeof value.message === 'string' && Array.isArray(value.path);
