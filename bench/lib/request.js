/** Returns an HTTP/1.1 request as sent on the wire. `headers` are lines in addition to the headers of every request. */
export function request(method, path, body, headers = []) {
  const head = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1', 'Accept: application/json', ...headers];
  if (body !== undefined)
    head.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`);
  return `${head.join('\r\n')}\r\n\r\n${body ?? ''}`;
}
