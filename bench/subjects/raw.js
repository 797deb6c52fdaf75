/** The baseline: a carefully hand-written `node:http` server that uses only documented APIs. */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { parse } from 'node:querystring';
import { Eta } from 'eta';
import { BOOKS, EVENTS, GUARDS, LIST, NOT_FOUND, RESOURCES, TOKEN } from '../lib/fixtures.js';
import { PUBLIC, VIEWS } from '../lib/places.js';

const serve = (listener) => (port, host) => createServer(listener).listen(port, host);

const COOKIE = `token=${TOKEN}; Path=/; HttpOnly; SameSite=Lax`;

function sendText(res, status, type, text) {
  res.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) });
  res.end(text);
}

const sendJson = (res, value) => sendText(res, 200, 'application/json', JSON.stringify(value));
const refuse = (res, status, problem) =>
  sendText(res, status, 'application/problem+json', JSON.stringify(problem));
const notFound = (res) => refuse(res, 404, NOT_FOUND);

function readJson(req, res, answer) {
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', () => {
    let body;
    try {
      body = JSON.parse(Buffer.concat(chunks).toString());
    } catch {
      return refuse(res, 400, { message: 'Bad JSON' });
    }
    answer(body);
  });
}

function login(req, res) {
  readJson(req, res, (body) => {
    if (typeof body?.username !== 'string' || typeof body.password !== 'string')
      return refuse(res, 400, { message: 'Bad login' });
    res.writeHead(204, { 'Set-Cookie': COOKIE });
    res.end();
  });
}

function isOrder(body) {
  return (
    isText(body?.title) &&
    body.title !== '' &&
    isText(body.author?.name) &&
    isText(body.author.email) &&
    Array.isArray(body.tags) &&
    body.tags.every(isText) &&
    typeof body.price === 'number' &&
    body.price >= 0
  );
}

const isText = (value) => typeof value === 'string';

export const small = serve((req, res) => {
  const [path] = req.url.split('?', 1);
  if (req.method === 'GET' && path === '/api/hello') return sendJson(res, { hello: 'world' });
  if (req.method === 'GET' && path === '/api/v1/items') return sendJson(res, LIST);
  if (req.method === 'POST' && path === '/api/v1/login') return login(req, res);
  notFound(res);
});

export const checked = serve((req, res) => {
  if (req.method !== 'POST' || req.url !== '/api/v1/orders') return notFound(res);
  readJson(req, res, (body) => {
    if (!isOrder(body)) return refuse(res, 422, { message: 'Bad order' });
    sendJson(res, { title: body.title, price: body.price });
  });
});

/** A hand-written server needs no middleware that does nothing. */
export const middlewares = small;

const resources = new Set(RESOURCES);

export const routes = serve((req, res) => {
  const mark = req.url.indexOf('?');
  const path = mark === -1 ? req.url : req.url.slice(0, mark);
  const [, api, version, resource, id, parts, part, ...rest] = path.split('/');
  if (api !== 'api' || version !== 'v1' || !resources.has(resource) || rest.length > 0) return notFound(res);
  const { method } = req;
  if (id === undefined) {
    if (method === 'GET' || method === 'POST') return sendJson(res, { resource });
  } else if (parts === undefined) {
    const q = mark === -1 ? undefined : parse(req.url.slice(mark + 1)).q;
    if (method === 'GET') return sendJson(res, { resource, id: decodeURIComponent(id), q });
    if (method === 'PUT') return sendJson(res, { resource, id: decodeURIComponent(id) });
  } else if (parts === 'parts' && part !== undefined && method === 'GET')
    return sendJson(res, { resource, id: decodeURIComponent(id), part: decodeURIComponent(part) });
  notFound(res);
});

const TYPES = { '.css': 'text/css; charset=utf-8' };

/**
 * Responds with 304 to a browser's revalidation, and otherwise with the whole file; without ranges and precompressed
 * files.
 */
export const files = serve(async (req, res) => {
  const [path] = req.url.split('?', 1);
  const file = join(PUBLIC, normalize(decodeURIComponent(path)));
  try {
    const { size, mtime } = await stat(file);
    const etag = `W/"${size.toString(16)}-${mtime.getTime().toString(16)}"`;
    if (req.headers['if-none-match'] === etag) return res.writeHead(304, { ETag: etag }).end();
    res.writeHead(200, {
      'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream',
      'Content-Length': size,
      'Last-Modified': mtime.toUTCString(),
      'Cache-Control': 'public, max-age=0',
      ETag: etag,
    });
    createReadStream(file).pipe(res);
  } catch {
    notFound(res);
  }
});

const eta = new Eta({ views: VIEWS, cache: true });

export const pages = serve((_req, res) =>
  sendText(res, 200, 'text/html; charset=utf-8', eta.render('books', { books: BOOKS })),
);

export const events = serve(async (_req, res) => {
  res.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' });
  for (const event of EVENTS) if (!res.write(`data: ${JSON.stringify(event)}\n\n`)) await once(res, 'drain');
  res.end();
});

/**
 * Writes one access log line per response with the fields that the others log. The client's requests are all alike, and
 * so are the headers.
 */
export const guarded = serve((req, res) => {
  const [path] = req.url.split('?', 1);
  if (req.method !== 'GET' || path !== '/api/hello') return notFound(res);
  const startedAt = performance.now();
  res.once('close', () => {
    const line = {
      level: 'info',
      time: Date.now(),
      method: req.method,
      path: req.url,
      ip: req.socket.remoteAddress,
      userAgent: req.headers['user-agent'],
      status: res.statusCode,
      duration: performance.now() - startedAt,
    };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  });
  const text = JSON.stringify({ hello: 'world' });
  const about = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) };
  res.writeHead(200, { ...GUARDS, ...about }).end(text);
});
