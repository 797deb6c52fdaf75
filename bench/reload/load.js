/** Creates load in a separate process: requests at a constant rate, independent of the responses. */
import { httpGet } from './http-get.js';
import { PATHS } from './project.js';

const tally = { sent: 0, failed: 0, refused: 0, longest: 0 };
const running = new Set();
let timer;

process.on('message', async (message) => {
  if (message.rate) return begin(message);
  clearInterval(timer);
  await Promise.all(running);
  process.send(tally);
});
process.on('disconnect', () => process.exit(0));

function begin({ port, rate }) {
  const start = performance.now();
  timer = setInterval(() => {
    // A late timer sends the requests that it missed.
    while (tally.sent < ((performance.now() - start) * rate) / 1000) send(port);
  }, 1000 / rate);
}

function send(port) {
  const start = performance.now();
  // A stride coprime to the number of paths visits all of them.
  const path = PATHS[(tally.sent * 7) % PATHS.length];
  tally.sent += 1;
  const done = httpGet(port, path)
    .then(
      ({ status }) => {
        if (status !== 200) tally.failed += 1;
      },
      ({ code }) => {
        if (code === 'ECONNREFUSED') tally.refused += 1;
        else tally.failed += 1;
      },
    )
    .finally(() => {
      tally.longest = Math.max(tally.longest, performance.now() - start);
      running.delete(done);
    });
  running.add(done);
}
