// @ts-check
// A room: what is said comes by a WebSocket, and goes on where it was when the connection comes back, to whichever machine.
import { createClient } from './client.js';

/** @type {(selector: string) => HTMLElement} */
const find = (selector) => /** @type {HTMLElement} */ (document.querySelector(selector));
const log = find('#log');
const lines = find('#lines');
const here = find('#here');
const news = find('#news');
const form = /** @type {HTMLFormElement} */ (find('#say'));
const field = /** @type {HTMLInputElement} */ (find('#text'));
const room = log.dataset.room ?? '';
const me = log.dataset.me;
const api = createClient(location.origin);

/** The maximum number of lines on the page. */
const MAX_LINES = 500;
/** Milliseconds in which the first lines arrive. Screen readers don't read these lines one by one. */
const HISTORY_MS = 1_000;
/** Milliseconds between two typing notices, and the time for which each one is shown. */
const TYPING_MS = 3_000;

const connect = (/** @type {string | undefined} */ after) =>
  api('/ws/rooms/:room').ws({ params: { room }, query: after === undefined ? {} : { after } });

/** @type {ReturnType<typeof connect> | undefined} */
let socket;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let typing;

/**
 * @param {string} text
 * @param {string} className
 */
const span = (text, className) =>
  Object.assign(document.createElement('span'), { textContent: text, className });

/** @param {{ by: string, text: string, at: string }} line */
function show({ by, text, at }) {
  const item = document.createElement('li');
  const time = Object.assign(document.createElement('time'), {
    dateTime: at,
    textContent: new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' }),
  });
  item.append(span(by, 'by'), text, time);
  item.classList.toggle('mine', by === me);
  const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 60;
  lines.append(item);
  if (lines.childElementCount > MAX_LINES) lines.firstElementChild?.remove();
  // If the user reads older messages, keep the scroll position.
  if (isAtEnd) log.scrollTop = log.scrollHeight;
}

/** @param {string} text */
function tell(text, lasts = 0) {
  clearTimeout(typing);
  news.textContent = text;
  if (lasts > 0) typing = setTimeout(() => tell(''), lasts);
}

async function follow() {
  /** @type {string | undefined} */
  let last;
  log.ariaBusy = 'true';
  for (let tries = 0; ; tries += 1) {
    socket = connect(last);
    socket.raw.addEventListener('open', () => {
      tries = 0;
      tell('');
      setTimeout(() => {
        log.ariaBusy = 'false';
      }, HISTORY_MS);
    });
    for await (const message of socket) {
      if (message.type === 'line') {
        show(message.line);
        last = message.id;
        if (message.line.by !== me) tell('');
      } else if (message.type === 'here') here.textContent = `${message.count} here`;
      else if (message.type === 'typing') tell(`${message.by} is typing…`, TYPING_MS);
      else tell(message.why, TYPING_MS);
    }
    socket = undefined;
    tell('The connection is away. Trying again …');
    // When a machine goes down, its clients should not all reconnect at the same moment.
    await new Promise((resolve) =>
      setTimeout(resolve, Math.min(8_000, 200 * 2 ** tries) * (0.5 + Math.random())),
    );
  }
}

/** When the last typing message was sent. */
let typingSentAt = 0;

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const text = field.value.trim();
  if (text === '') return;
  if (socket?.raw.readyState !== WebSocket.OPEN)
    return tell('The connection is away: your line is not sent yet.');
  socket.send({ type: 'say', text });
  field.value = '';
  typingSentAt = 0;
});

field.addEventListener('input', () => {
  if (Date.now() - typingSentAt < TYPING_MS || socket?.raw.readyState !== WebSocket.OPEN) return;
  typingSentAt = Date.now();
  socket.send({ type: 'typing' });
});

follow();
