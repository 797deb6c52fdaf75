/** Requests that read or write the sessions of several visitors, each with a cookie. */
import { Agent, request } from 'node:http';
import { cpuOf, runOn, startProcess } from './processes.js';

export const SUBJECTS = ['http', 'fwk over redis', 'fwk over postgres', 'fastify', 'express'];
export const COLUMNS = ['reads/s', 'CPU µs a read', 'writes/s', 'CPU µs a write'];

const VISITORS = 32;
const PATH = '/api/cart';

/** Starts one process. This process, the client, runs on the other core. */
export async function open(name, servers) {
  runOn('1');
  const process = await startProcess(name, 0, servers);
  const agent = new Agent({ keepAlive: true, maxSockets: VISITORS });
  const app = {
    name,
    processes: [process],
    sendRequest: (method, cookie) => sendRequest(process.port, agent, method, cookie),
  };
  const visitors = await Promise.all(Array.from({ length: VISITORS }, () => app.sendRequest('POST')));
  return { ...app, cookies: visitors.map(({ cookie }) => cookie) };
}

/** Runs one round: half of the time reads, then writes. */
export async function round(app, seconds) {
  const values = [];
  for (const method of ['GET', 'POST']) {
    const before = await cpuOf(app.processes);
    const begun = performance.now();
    let done = 0;
    await Promise.all(
      app.cookies.map(async (cookie) => {
        for (; performance.now() - begun < (seconds / 2) * 1_000; done += 1) {
          const { status, body } = await app.sendRequest(method, cookie);
          if (status !== 200 || !(JSON.parse(body).n > 0)) throw new Error(`${app.name}: ${status} ${body}`);
        }
      }),
    );
    const elapsed = (performance.now() - begun) / 1_000;
    values.push(done / elapsed, ((await cpuOf(app.processes)) - before) / done);
  }
  return values;
}

function sendRequest(port, agent, method, cookie) {
  return new Promise((resolve, reject) => {
    const headers = cookie === undefined ? {} : { cookie };
    const sent = request({ host: '127.0.0.1', port, agent, method, path: PATH, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text) => {
        body += text;
      });
      response.on('end', () => {
        const { statusCode: status, headers } = response;
        resolve({ status, body, cookie: headers['set-cookie']?.[0].split(';', 1)[0] });
      });
    });
    sent.on('error', reject).end();
  });
}
