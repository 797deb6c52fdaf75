/**
 * The code that servers with `(req, res, next)` share: these frameworks leave bodies, cookies and JSON to the
 * application.
 */
import { serialize } from 'cookie';
import { LIST, NOT_FOUND, RESOURCES, TOKEN } from './fixtures.js';

export function send(res, status, type, value) {
  const text = JSON.stringify(value);
  res.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) });
  res.end(text);
}

export const sendJson = (res, value) => send(res, 200, 'application/json', value);
export const notFound = (_req, res) => send(res, 404, 'application/problem+json', NOT_FOUND);

export const defineHello = (app) => app.get('/api/hello', (_req, res) => sendJson(res, { hello: 'world' }));

export function defineSmall(app) {
  defineHello(app);
  app.get('/api/v1/items', (_req, res) => sendJson(res, LIST));
  app.post('/api/v1/login', readJson, ({ body }, res) => {
    if (typeof body?.username !== 'string' || typeof body.password !== 'string')
      return send(res, 400, 'application/problem+json', { message: 'Bad login' });
    const cookie = serialize('token', TOKEN, { path: '/', httpOnly: true, sameSite: 'lax' });
    res.writeHead(204, { 'Set-Cookie': cookie });
    res.end();
  });
}

export function defineMiddlewares(app) {
  for (let count = 0; count < 3; count += 1) app.use((_req, _res, next) => next());
  defineHello(app);
}

export function defineRoutes(app) {
  for (const resource of RESOURCES) {
    const path = `/api/v1/${resource}`;
    app.get(path, (_req, res) => sendJson(res, { resource }));
    app.post(path, (_req, res) => sendJson(res, { resource }));
    app.get(`${path}/:id`, ({ params, query }, res) =>
      sendJson(res, { resource, id: params.id, q: query.q }),
    );
    app.put(`${path}/:id`, ({ params }, res) => sendJson(res, { resource, id: params.id }));
    app.get(`${path}/:id/parts/:partId`, ({ params }, res) =>
      sendJson(res, { resource, id: params.id, part: params.partId }),
    );
  }
}

function readJson(req, res, next) {
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', () => {
    try {
      req.body = JSON.parse(Buffer.concat(chunks).toString());
    } catch {
      return send(res, 400, 'application/problem+json', { message: 'Bad JSON' });
    }
    next();
  });
}
