import { code, make } from '../../http/page-kit/dom.js';
import { exampleOf } from '../../http/page-kit/schema.js';

const META = 'io.modelcontextprotocol/';
const VERSION = '2026-07-28';

/** Call a method of the app's MCP endpoint. Rejects with an Error: a sentence without its full stop. */
async function call(method, params) {
  const _meta = { [`${META}protocolVersion`]: VERSION, [`${META}clientCapabilities`]: {} };
  const response = await fetch('/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION,
      'mcp-method': method,
      'mcp-name': params.name,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  });
  const text = await response.text();
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  // The result is the last event of a stream.
  const answer = isStream ? text.slice(text.lastIndexOf('\ndata:') + 6) : text;
  let message;
  try {
    message = JSON.parse(answer);
  } catch {
    throw new Error(`The endpoint responded with ${response.status}: ${text.slice(0, 200)}`);
  }
  if (message.result === undefined)
    throw new Error(message.error?.message ?? message.error_description ?? text);
  return message.result;
}

/** A form that calls a tool, and shows its result, with its page beside it. */
export function toolForm({ name, schemas, page }) {
  const id = `arguments-${name}`;
  const field = make('textarea', { id, rows: 5, spellcheck: 'false', autocapitalize: 'off' });
  field.value = JSON.stringify(schemas.input ? exampleOf(schemas.input, schemas.input) : {}, null, 2);
  const result = make('div', { role: 'status', 'aria-label': `The result of ${name}` });
  const beside = make('div');
  const submit = async (event) => {
    event.preventDefault();
    result.replaceChildren('Calling …');
    beside.replaceChildren();
    try {
      const given = JSON.parse(field.value || '{}');
      const answer = await call('tools/call', { name, arguments: given });
      const { _meta, ...shown } = answer;
      result.replaceChildren(code(JSON.stringify(shown, null, 2), `Result of ${name}`));
      if (page) beside.replaceChildren(frameOf({ name, page, given, answer }));
    } catch (failure) {
      result.replaceChildren(make('p', { class: 'bad' }, `${failure.message}.`));
    }
  };
  const button = make('button', { class: 'main', type: 'submit' }, 'Call');
  const label = make('label', { for: id }, 'Arguments, as JSON');
  const form = make('form', { submit }, make('div', { class: 'field' }, label, field), button, result);
  return make('div', { class: page ? 'tool' : undefined }, form, page && beside);
}

/** The page of a tool in a frame that cannot reach this page, which is its host (SEP-1865). */
function frameOf({ name, page, given, answer }) {
  const src = `/_fwk/view?uri=${encodeURIComponent(page)}`;
  const frame = make('iframe', { src, title: `The page of ${name}`, height: 80 });
  const send = (message) => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const answers = {
    'ui/initialize': () => ({
      protocolVersion: '2026-01-26',
      hostInfo: { name: 'fwk dev', version: '1' },
      hostCapabilities: { serverTools: {}, openLinks: {} },
      hostContext: { theme: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light' },
    }),
    'ui/notifications/initialized': () => {
      send({ method: 'ui/notifications/tool-input', params: { arguments: given } });
      send({ method: 'ui/notifications/tool-result', params: answer });
    },
    'ui/notifications/size-changed': ({ height }) => {
      frame.height = height;
    },
    'ui/open-link': ({ url }) => {
      if (/^https?:/.test(url)) open(url, '_blank', 'noopener');
    },
    'tools/call': (params) => call('tools/call', params),
  };
  addEventListener('message', async function listen({ source, data }) {
    if (!frame.isConnected) return removeEventListener('message', listen);
    if (source !== frame.contentWindow) return undefined;
    const { id, method, params } = data;
    try {
      const result = (await answers[method]?.(params)) ?? {};
      if (id !== undefined) send({ id, result });
    } catch (failure) {
      if (id !== undefined) send({ id, error: { code: -32000, message: failure.message } });
    }
  });
  return frame;
}
