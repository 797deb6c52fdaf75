/** Messages with a Content-Length header, as language servers exchange them. */

const BREAK = '\r\n\r\n';

/** Calls `receive` with each message of a stream. */
export function eachMessage(stream, receive) {
  let rest = Buffer.alloc(0);
  stream.on('data', (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const end = rest.indexOf(BREAK);
      if (end === -1) return;
      const [, length] = /Content-Length: (\d+)/i.exec(rest.toString('latin1', 0, end));
      const start = end + BREAK.length;
      const next = start + Number(length);
      if (rest.length < next) return;
      const message = JSON.parse(rest.toString('utf8', start, next));
      rest = rest.subarray(next);
      receive(message);
    }
  });
}

/** Returns a message with its header as bytes. */
export function framed(message) {
  const body = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}${BREAK}`), body]);
}
