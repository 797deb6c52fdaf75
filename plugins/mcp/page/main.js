// The page that a host shows for a tool with a template (SEP-1865). The host runs it in a sandbox and sends it
// the results of the tool, which contain the rendered template.

const host = window.parent;
const root = document.documentElement;
/** The functions that settle the requests to the host, by the ID of the request. */
const waiting = new Map();
/** Forms whose call has no answer yet. */
const sent = new WeakSet();
let capabilities = {};
/** The tool that the host shows, if the host describes it. */
let tool;
/** The arguments of the tool that the host shows. */
let input = {};
/** A call whose result shows the current page anew. Undefined if the tool changes something. */
let shownCall;

const send = (message) => host.postMessage({ jsonrpc: '2.0', ...message }, '*');

const ask = (method, params) =>
  new Promise((resolve, reject) => {
    const id = waiting.size + 1;
    waiting.set(id, { resolve, reject });
    send({ id, method, params });
  });

addEventListener('message', ({ source, data }) => {
  if (source !== host || data?.jsonrpc !== '2.0') return;
  const { id, method, params, result, error } = data;
  if (method === undefined) {
    if (error) waiting.get(id)?.reject(new Error(error.message));
    else waiting.get(id)?.resolve(result);
  } else if (id !== undefined) send({ id, result: {} });
  else if (method === 'ui/notifications/tool-input') input = params.arguments ?? {};
  else if (method === 'ui/notifications/tool-result') showFirst(params);
  else if (method === 'ui/notifications/tool-cancelled') showText(params?.reason ?? 'Cancelled', 'alert');
  else if (method === 'ui/notifications/host-context-changed') useTheme(params);
});

const htmlOf = (result) => result._meta?.['fwkit/html'];

const callTool = (name, given = {}) => ask('tools/call', { name, arguments: given });

/** Some hosts drop `_meta`. Then a tool that changes nothing is called again by the page itself. */
async function showFirst(given) {
  const kept = window.openai?.toolResponseMetadata;
  const result = htmlOf(given) === undefined && kept ? { ...given, _meta: kept } : given;
  const isReadable = htmlOf(result) === undefined && !result.isError && tool?.annotations?.readOnlyHint;
  show(isReadable ? await callTool(tool.name, input).catch(() => result) : result);
}

/** Show the page of a result. A result without a page, such as an error, is a text above the current page. */
function show(result) {
  const html = htmlOf(result);
  if (html === undefined || result.isError) {
    const texts = (result.content ?? []).map(({ text = '' }) => text);
    return showText(texts.join('\n'), result.isError ? 'alert' : 'status');
  }
  shownCall = result._meta['fwkit/call'];
  const page = new DOMParser().parseFromString(html, 'text/html');
  if (page.documentElement.lang) root.lang = page.documentElement.lang;
  for (const { name, value } of page.body.attributes) document.body.setAttribute(name, value);
  document.body.replaceChildren(...page.head.childNodes, ...page.body.childNodes);
  for (const parsed of document.body.querySelectorAll('script')) {
    // A parsed script does not run. In a block of its own, it can declare the same names again.
    const script = document.createElement('script');
    for (const { name, value } of parsed.attributes) script.setAttribute(name, value);
    const isClassic = /^(?:|text\/javascript)$/.test(parsed.type);
    script.textContent = isClassic ? `{${parsed.textContent}\n}` : parsed.textContent;
    parsed.replaceWith(script);
  }
}

function showText(text, role) {
  document.querySelector('pre[data-fwkit]')?.remove();
  const pre = document.createElement('pre');
  pre.textContent = text;
  pre.style.whiteSpace = 'pre-wrap';
  pre.dataset.fwkit = '';
  pre.role = role;
  document.body.prepend(pre);
}

/** Set the colors and the fonts of the host: `var(--color-text-primary)`. */
function useTheme({ theme, styles } = {}) {
  if (theme) {
    root.dataset.theme = theme;
    root.style.colorScheme = theme;
  }
  for (const [name, value] of Object.entries(styles?.variables ?? {})) root.style.setProperty(name, value);
  const { fonts } = styles?.css ?? {};
  if (!fonts) return;
  const style = document.createElement('style');
  style.textContent = fonts;
  document.head.append(style);
}

/** Call the tool of a form. Its page is shown, or the current page anew, or its text. */
async function callFor(form, submitter) {
  if (sent.has(form)) return;
  sent.add(form);
  try {
    const result = await callTool(form.dataset.tool, valuesOf(form, submitter));
    if (capabilities.updateModelContext && !result.isError)
      ask('ui/update-model-context', { content: result.content }).catch(() => {});
    const isShown = result.isError || htmlOf(result) !== undefined || !shownCall;
    show(isShown ? result : await callTool(shownCall.name, shownCall.arguments));
  } catch (failure) {
    showText(failure.message, 'alert');
  } finally {
    sent.delete(form);
  }
}

/** The values of the fields, as JSON: numbers, booleans, and lists of fields that have several values. */
function valuesOf(form, submitter) {
  const values = {};
  for (const field of form.elements) {
    const { name, type, value } = field;
    const isButton = /^(?:submit|button|reset|image)$/.test(type);
    if (!name || field.matches(':disabled') || (isButton && field !== submitter)) continue;
    if (type === 'checkbox' && !field.hasAttribute('value')) values[name] = field.checked;
    else if (type === 'checkbox') values[name] = [...(values[name] ?? []), ...(field.checked ? [value] : [])];
    else if (type === 'select-multiple') values[name] = [...field.selectedOptions].map((one) => one.value);
    else if (type === 'number' || type === 'range') {
      if (value !== '') values[name] = field.valueAsNumber;
    } else if (type !== 'radio' || field.checked) values[name] = value;
  }
  return values;
}

/** A sandbox without `allow-forms` fires no `submit` event, so the events that lead to it are handled. */
function submit(event, form, submitter) {
  if (!form || event.defaultPrevented) return;
  event.preventDefault();
  if (form.dataset.tool === undefined || submitter?.disabled) return;
  if (form.noValidate || submitter?.formNoValidate || form.reportValidity()) void callFor(form, submitter);
}

const isSubmitter = ({ type }) => type === 'submit' || type === 'image';

addEventListener('submit', (event) => submit(event, event.target, event.submitter));
addEventListener('keydown', (event) => {
  const { target } = event;
  if (event.key !== 'Enter' || event.isComposing || target.tagName !== 'INPUT' || !target.form) return;
  if (/^(?:submit|button|reset|image|file|color)$/.test(target.type)) return;
  submit(event, target.form, [...target.form.elements].find(isSubmitter));
});
addEventListener('click', (event) => {
  const target = event.target.closest?.('button, input, a[href]');
  if (!target || event.defaultPrevented) return;
  if (target.tagName !== 'A') return isSubmitter(target) ? submit(event, target.form, target) : undefined;
  const href = target.getAttribute('href');
  // Relative to the <base>, a fragment would lead to another page.
  if (href.startsWith('#')) document.getElementById(href.slice(1))?.scrollIntoView();
  else if (/^https?:$/.test(target.protocol)) ask('ui/open-link', { url: target.href }).catch(() => {});
  else return;
  event.preventDefault();
});

Object.assign(window, { callTool });

const reportSize = () => {
  const { width, height } = root.getBoundingClientRect();
  const params = { width: Math.ceil(width), height: Math.ceil(height) };
  send({ method: 'ui/notifications/size-changed', params });
};

ask('ui/initialize', {
  protocolVersion: '2026-01-26',
  appInfo: { name: 'fwkit', version: '1' },
  appCapabilities: { availableDisplayModes: ['inline'] },
}).then(({ hostCapabilities = {}, hostContext }) => {
  capabilities = hostCapabilities;
  tool = hostContext?.toolInfo?.tool;
  useTheme(hostContext);
  send({ method: 'ui/notifications/initialized', params: {} });
  new ResizeObserver(reportSize).observe(root);
});
