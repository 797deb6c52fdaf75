import { LOGIN, RESOURCES } from './fixtures.js';

/** Each scenario names the requests that a connection sends in turn, and the app of each subject that answers it. */
export const SCENARIOS = [
  {
    name: 'json',
    title: 'JSON GET',
    app: 'small',
    status: 200,
    requests: [request('GET', '/api/hello')],
  },
  {
    name: 'routes',
    title: 'parameter and query, 200 routes',
    app: 'routes',
    status: 200,
    requests: RESOURCES.map((resource, index) =>
      request('GET', `/api/v1/${resource}/${1000 + index}?q=find`),
    ),
  },
  {
    name: 'post',
    title: 'POST, JSON body, Set-Cookie, 204',
    app: 'small',
    status: 204,
    requests: [request('POST', '/api/v1/login', LOGIN)],
  },
  {
    name: 'middlewares',
    title: 'three empty middlewares',
    app: 'middlewares',
    status: 200,
    requests: [request('GET', '/api/hello')],
  },
  {
    name: 'missing',
    title: '404',
    app: 'small',
    status: 404,
    requests: [request('GET', '/api/nowhere')],
  },
];

function request(method, path, body) {
  const head = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1', 'Accept: application/json'];
  if (body !== undefined)
    head.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`);
  return `${head.join('\r\n')}\r\n\r\n${body ?? ''}`;
}
