import { make } from './dom.js';

/** The most characters of a response that are shown: a stream may have no end. */
const MAX_SHOWN = 200_000;

/** Where the API is: the page is two segments below it. */
const base = new URL('..', location.href);

const encode = (value, keepsSlashes) =>
  keepsSlashes ? value.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(value);

/** The URL of an operation, and the headers that its parameters are. */
export function targetOf(path, parameters, inputs) {
  const url = new URL(base);
  const headers = {};
  let filled = path;
  for (const [index, { name, in: place, 'x-catch-all': keepsSlashes }] of parameters.entries()) {
    const values = inputs[index].values();
    if (place === 'path') filled = filled.replace(`{${name}}`, encode(values[0] ?? '', keepsSlashes));
    if (place === 'query') for (const value of values) url.searchParams.append(name, value);
    if (place === 'header' && values.length > 0) headers[name] = values.join(', ');
  }
  url.pathname = base.pathname.replace(/\/$/, '') + filled;
  return { url, headers };
}

/** Sends a request and shows what comes in `output`, as it comes. */
export async function send(url, init, output) {
  const begun = performance.now();
  output.replaceChildren(make('p', { class: 'soft' }, `${init.method} ${url.pathname}${url.search} …`));
  try {
    const response = await fetch(url, init);
    const took = Math.round(performance.now() - begun);
    const line = make(
      'p',
      {},
      make('span', { class: 'status' }, `${response.status} ${response.statusText}`),
      make('span', { class: 'soft' }, ` · ${took} ms · ${url.pathname}${url.search}`),
    );
    const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
    const folded = make('details', {}, make('summary', {}, 'Headers'), make('pre', {}, headers));
    output.replaceChildren(line, folded);
    await showBody(response, output);
  } catch (failure) {
    const stopped = init.signal.aborted ? 'Stopped.' : `The request failed: ${failure.message}.`;
    output.append(make('p', { class: 'status' }, stopped));
  }
}

async function showBody(response, output) {
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('image/')) {
    const picture = URL.createObjectURL(await response.blob());
    output.append(
      make('img', { src: picture, alt: 'The response', load: () => URL.revokeObjectURL(picture) }),
    );
    return;
  }
  if (!response.body) return;
  const shown = make('pre', { tabindex: 0, 'aria-label': 'Body of the response' });
  output.append(shown);
  let text = '';
  const isStream = type.startsWith('text/event-stream');
  for await (const chunk of chunksOf(response.body.pipeThrough(new TextDecoderStream()))) {
    text += chunk;
    if (text.length > MAX_SHOWN) break;
    if (isStream) shown.textContent = text;
  }
  shown.textContent = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)} …` : pretty(text, type);
}

/** Not every browser can iterate over a stream. */
async function* chunksOf(stream) {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    reader.cancel().catch(() => {});
  }
}

function pretty(text, type) {
  if (!type.includes('json')) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
