// @ts-check
// Sends files one after the other, shows how far each is, and remembers in this browser what was sent. Without it the form does.

/** @typedef {{ id: string, name: string, size: number, expires: string, url: string, key: string }} Receipt */

/** @type {(selector: string) => HTMLElement} */
const find = (selector) => /** @type {HTMLElement} */ (document.querySelector(selector));
const form = /** @type {HTMLFormElement} */ (find('#form'));
const field = /** @type {HTMLInputElement} */ (find('#files'));
const list = find('#list');
const news = find('#news');
const most = Number(form.dataset.max);

for (const shown of document.querySelectorAll('.origin')) shown.textContent = location.origin;

/** @type {Receipt[]} */
let sent = [];
try {
  sent = JSON.parse(localStorage.getItem('sent') ?? '[]');
} catch {
  // Somebody else's text.
}
sent = sent.filter(({ expires }) => Date.parse(expires) > Date.now());

const remember = () => localStorage.setItem('sent', JSON.stringify(sent));

/** @param {number} bytes */
function readable(bytes) {
  const power = Math.min(4, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
  const value = bytes / 1024 ** power;
  return `${value >= 10 || power === 0 ? Math.floor(value) : value.toFixed(1)} ${['', 'K', 'M', 'G', 'T'][power]}B`;
}

/**
 * @param {string} text
 * @param {string} className
 */
const span = (text, className) =>
  Object.assign(document.createElement('span'), { textContent: text, className });

/**
 * @param {string} text
 * @param {string} label
 * @param {() => void} act
 */
function button(text, label, act) {
  const made = Object.assign(document.createElement('button'), { type: 'button', textContent: text });
  made.setAttribute('aria-label', label);
  made.addEventListener('click', act);
  return made;
}

/**
 * @param {HTMLElement} item
 * @param {Receipt} receipt
 */
function showReceipt(item, receipt) {
  const { id, name, size, url, key, expires } = receipt;
  const link = Object.assign(document.createElement('a'), {
    href: url,
    textContent: name,
    className: 'name',
  });
  const forget = () => {
    sent = sent.filter((one) => one.id !== id);
    remember();
    item.remove();
    field.focus();
  };
  const copy = button('Copy link', `Copy link of ${name}`, async () => {
    await navigator.clipboard.writeText(new URL(url, location.href).href);
    news.textContent = `The link of ${name} is in the clipboard.`;
  });
  const remove = button('Remove', `Remove ${name}`, async () => {
    const answer = await fetch(`/api/files/${id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${key}` },
    });
    // It is fine if the file is already deleted.
    if (answer.ok || answer.status === 404) forget();
    news.textContent = answer.ok ? `${name} is removed.` : (await answer.json()).message;
  });
  const until = new Date(expires).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
  item.replaceChildren(link, span(`${readable(size)}, until ${until}`, 'quiet'), copy, remove);
}

/**
 * @param {File} file
 * @returns {Promise<void>} when it is sent, refused or cancelled
 */
function send(file) {
  const item = list.appendChild(document.createElement('li'));
  const bar = Object.assign(document.createElement('progress'), { max: file.size || 1, value: 0 });
  bar.setAttribute('aria-label', `How much of ${file.name} is sent`);
  const state = span('waits', 'quiet');
  // fetch() does not report upload progress.
  const request = new XMLHttpRequest();
  const cancel = button('Cancel', `Cancel ${file.name}`, () => request.abort());
  item.append(span(file.name, 'name'), state, cancel, bar);

  return new Promise((resolve) => {
    /** @param {string} why */
    const fail = (why) => {
      item.replaceChildren(
        span(file.name, 'name'),
        button('Dismiss', `Dismiss ${file.name}`, () => item.remove()),
        span(why, 'bad'),
      );
      news.textContent = `${file.name} was not sent. ${why}`;
      resolve();
    };
    if (file.size > most)
      return fail(`It has ${readable(file.size)}; a file here has at most ${readable(most)}.`);
    request.upload.onprogress = ({ loaded }) => {
      bar.value = loaded;
      state.textContent = `${readable(loaded)} of ${readable(file.size)}`;
    };
    request.onload = () => {
      const answer = request.response;
      if (request.status !== 201) return fail(answer?.message ?? `The server answered ${request.status}.`);
      sent.push(answer);
      remember();
      showReceipt(item, answer);
      news.textContent = `${answer.name} is sent.`;
      resolve();
    };
    request.onerror = () => fail('The connection broke.');
    request.onabort = () => fail('You cancelled it.');
    request.responseType = 'json';
    request.open('PUT', `/api/upload/${encodeURIComponent(file.name)}`);
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.send(file);
  });
}

/** @type {Promise<void>} */
let queue = Promise.resolve();
/** @param {Iterable<File>} files */
function sendAll(files) {
  for (const file of files) queue = queue.then(() => send(file));
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  sendAll(field.files ?? []);
  form.reset();
});
// Chosen files are uploaded immediately.
field.addEventListener('change', () => form.requestSubmit());
find('#form button').hidden = true;
for (const name of ['dragenter', 'dragover'])
  addEventListener(name, (event) => {
    event.preventDefault();
    form.classList.add('over');
  });
addEventListener('dragleave', (event) => {
  if (!event.relatedTarget) form.classList.remove('over');
});
addEventListener('drop', (event) => {
  event.preventDefault();
  form.classList.remove('over');
  sendAll(event.dataTransfer?.files ?? []);
});

for (const receipt of sent) showReceipt(list.appendChild(document.createElement('li')), receipt);
