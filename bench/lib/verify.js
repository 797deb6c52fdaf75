import { exchange } from './exchange.js';

/** What a client sees, apart from headers in which frameworks may differ. */
function essence(response) {
  const [head, body] = response.split('\r\n\r\n');
  const [statusLine, ...lines] = head.split('\r\n');
  const header = (name) =>
    lines.find((line) => line.toLowerCase().startsWith(`${name}: `))?.slice(name.length + 2);
  const status = Number(statusLine.split(' ')[1]);
  return {
    status,
    body,
    type: header('content-type')?.split(';', 1)[0],
    cookie: header('set-cookie')?.split('; ').sort(),
  };
}

/** Refuse to measure servers that do not answer alike: same status, media type and cookie, and every byte of the body. */
export async function verify(servers, { name, requests, status }) {
  for (const request of requests) {
    const answers = await Promise.all(servers.map(({ port }) => exchange(port, request)));
    const [first, ...others] = answers.map((answer) => JSON.stringify(essence(answer)));
    const odd = others.findIndex((other) => other !== first);
    if (odd !== -1)
      throw new Error(
        `${name}: ${servers[odd + 1].subject} answers\n${others[odd]}\nwhere ${servers[0].subject} answers\n${first}`,
      );
    if (JSON.parse(first).status !== status) throw new Error(`${name}: answered ${first}`);
  }
}
