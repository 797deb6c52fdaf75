// Requests to the routes of `direct.test.ts`, as bytes: what a server does with connections, heads and bodies.

export const get = (path: string, headers = '', version = '1.1', method = 'GET'): string =>
  `${method} /api/${path} HTTP/${version}\r\nHost: x\r\n${headers}\r\n`;
const LAST = get('json?q=last', 'Connection: close\r\n');
const post = 'POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';

export const echo = (headers: string, body: string, path = 'echo'): string =>
  `POST /api/${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}\r\n${body}`;
const CHUNKED = 'Transfer-Encoding: chunked\r\n';

/** What is sent on one connection; the server answers all of it and closes. */
export const EXCHANGES: Readonly<Record<string, string>> = {
  'one request': LAST,
  'keep-alive': get('json?q=1') + LAST,
  pipelining: get('json?q=1') + get('later') + get('body') + get('json?q=2') + LAST,
  'a slow one first': get('later') + get('later') + LAST,
  HEAD: get('json', '', '1.1', 'HEAD') + get('nowhere', '', '1.1', 'HEAD') + LAST,
  'HTTP/1.0': get('json', '', '1.0'),
  'HTTP/1.0 with keep-alive': get('json', 'Connection: keep-alive\r\n', '1.0') + get('json', '', '1.0'),
  '204 with cookies': `${post}Content-Length: 2\r\n\r\n{}${LAST}`,
  '304': get('not-modified', 'If-None-Match: "1"\r\n') + get('not-modified') + LAST,
  'no body by other statuses': get('reset') + get('moved') + LAST,
  'more than ASCII': get('unicode') + get('body') + LAST,
  'a close that is asked for by the handler': get('close'),
  'headers of the connection': get('date') + get('raw-header') + get('undated') + get('reason') + LAST,
  'early hints': get('hints') + LAST,
  trailers: get('trailers') + LAST,
  'a corked response': get('corked') + LAST,
  'Expect: 100-continue': `${post}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}${LAST}`,
  'bodies one after the other':
    echo('Content-Length: 3\r\n', '[1]') + echo('Content-Length: 3\r\n', '[2]') + LAST,
  'a body in chunks': echo(CHUNKED, '1\r\n[\r\n2\r\n1]\r\n0\r\nX-Sum: 1\r\n\r\n') + LAST,
  'no body where one could be':
    echo('', '') + echo('Content-Length: 0\r\n', '') + echo(CHUNKED, '0\r\n\r\n') + LAST,
  'a body that is no JSON': echo('Content-Length: 1\r\n', '[') + LAST,
  'a body that is too large':
    echo('Content-Length: 7\r\n', '[1,2,3]', 'small') +
    echo(CHUNKED, '7\r\n[1,2,3]\r\n0\r\n\r\n', 'small') +
    LAST,
  'a body that is malformed': echo(CHUNKED, 'no length\r\n'),
  'a body behind a slow request': get('later') + echo('Content-Length: 3\r\n', '[1]') + LAST,
  'a body of a GET':
    get('json', 'Content-Length: 2\r\n') +
    '{}' +
    get('raw', 'content-length: 2\r\n') +
    '{}' +
    get('raw', CHUNKED) +
    '1\r\na\r\n0\r\n\r\n' +
    LAST,
  'a request that is read without a body': get('raw') + get('pipe', 'Connection: close\r\n'),
  'an unknown expectation': get('json', 'Expect: more\r\n') + LAST,
  'nothing there': get('nowhere') + get('nowhere', 'Accept: text/html\r\n') + LAST,
  'a method that is not there': get('json', '', '1.1', 'DELETE') + LAST,
  'a path that is malformed': get('%zz') + LAST,
  'an upgrade to nothing': get('json', 'Connection: upgrade\r\nUpgrade: other\r\n'),
  'an upgrade': `GET /echo HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n\x88\x80abcd`,
  'a limit of requests': get('limited?max=3') + get('json') + get('json') + LAST,
  'no keep-alive time':
    get('limited?max=0') + get('unkept?ms=0') + get('json') + get('unkept?ms=7000') + LAST,
  backpressure: get('big') + get('big') + get('big') + get('json') + LAST,
};
