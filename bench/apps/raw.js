/** The yardstick: node:http by hand, written with care but without leaning on anything undocumented. */
import { createServer } from 'node:http';
import { parse } from 'node:querystring';
import { NOT_FOUND, RESOURCES, TOKEN } from '../lib/fixtures.js';

const COOKIE = `token=${TOKEN}; Path=/; HttpOnly; SameSite=Lax`;

function sendJson(res, status, value, type = 'application/json') {
  const text = JSON.stringify(value);
  res.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) });
  res.end(text);
}

const notFound = (res) => sendJson(res, 404, NOT_FOUND, 'application/problem+json');

function login(req, res) {
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', () => {
    let body;
    try {
      body = JSON.parse(Buffer.concat(chunks).toString());
    } catch {
      return sendJson(res, 400, { message: 'Bad JSON' });
    }
    if (typeof body?.username !== 'string' || typeof body.password !== 'string')
      return sendJson(res, 400, { message: 'Bad login' });
    res.writeHead(204, { 'Set-Cookie': COOKIE });
    res.end();
  });
}

function small(req, res) {
  const [path] = req.url.split('?', 1);
  if (req.method === 'GET' && path === '/api/hello') return sendJson(res, 200, { hello: 'world' });
  if (req.method === 'POST' && path === '/api/v1/login') return login(req, res);
  notFound(res);
}

const resources = new Set(RESOURCES);

function routes(req, res) {
  const mark = req.url.indexOf('?');
  const path = mark === -1 ? req.url : req.url.slice(0, mark);
  const [, api, version, resource, id, parts, part, ...rest] = path.split('/');
  if (api !== 'api' || version !== 'v1' || !resources.has(resource) || rest.length > 0) return notFound(res);
  const { method } = req;
  if (id === undefined) {
    if (method === 'GET' || method === 'POST') return sendJson(res, 200, { resource });
  } else if (parts === undefined) {
    const q = mark === -1 ? undefined : parse(req.url.slice(mark + 1)).q;
    if (method === 'GET') return sendJson(res, 200, { resource, id: decodeURIComponent(id), q });
    if (method === 'PUT') return sendJson(res, 200, { resource, id: decodeURIComponent(id) });
  } else if (parts === 'parts' && part !== undefined && method === 'GET')
    return sendJson(res, 200, { resource, id: decodeURIComponent(id), part: decodeURIComponent(part) });
  notFound(res);
}

const listeners = { small, routes, middlewares: small };
createServer(listeners[process.env.APP]).listen(Number(process.env.PORT), process.env.HOST);
