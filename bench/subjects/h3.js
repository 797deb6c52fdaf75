/** h3 2 with its own Node adapter. */
import { createEventStream, H3, HTTPError, serve as listen, readBody, setCookie } from 'h3';
import { EVENTS, LIST, NOT_FOUND, RESOURCES, TOKEN } from '../lib/fixtures.js';

const PROBLEM = { 'content-type': 'application/problem+json' };

const serve = (define) => (port, hostname) => {
  const app = new H3();
  define(app);
  app.all('/**', (event) => {
    event.res.status = 404;
    event.res.headers.set('content-type', PROBLEM['content-type']);
    return NOT_FOUND;
  });
  listen(app, { port, hostname, silent: true });
};

const hello = (app) => app.get('/api/hello', () => ({ hello: 'world' }));

export const small = serve((app) => {
  hello(app);
  app.get('/api/v1/items', () => LIST);
  app.post('/api/v1/login', async (event) => {
    const body = await readBody(event);
    if (typeof body?.username !== 'string' || typeof body.password !== 'string')
      throw new HTTPError('', { status: 400 });
    setCookie(event, 'token', TOKEN, { path: '/', httpOnly: true, sameSite: 'lax' });
    event.res.status = 204;
    return '';
  });
});

export const middlewares = serve((app) => {
  for (let count = 0; count < 3; count += 1) app.use((_event, next) => next());
  hello(app);
});

export const routes = serve((app) => {
  for (const resource of RESOURCES) {
    const path = `/api/v1/${resource}`;
    app.get(path, () => ({ resource }));
    app.post(path, () => ({ resource }));
    app.get(`${path}/:id`, ({ context, url }) => ({
      resource,
      id: context.params.id,
      q: url.searchParams.get('q') ?? undefined,
    }));
    app.put(`${path}/:id`, ({ context }) => ({ resource, id: context.params.id }));
    app.get(`${path}/:id/parts/:partId`, ({ context: { params } }) => ({
      resource,
      id: params.id,
      part: params.partId,
    }));
  }
});

export const events = serve((app) =>
  app.get('/api/events', (event) => {
    const stream = createEventStream(event);
    const push = async () => {
      for (const each of EVENTS) await stream.push(JSON.stringify(each));
      await stream.close();
    };
    push();
    return stream.send();
  }),
);
