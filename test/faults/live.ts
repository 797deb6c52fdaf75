import * as assert from 'node:assert/strict';
import http from 'node:http';
import net from 'node:net';
import { WebSocket } from 'ws';
import type { Random } from '../fuzz/random.js';
import { Lost } from './client.js';

const PATIENCE = 20_000;

/** A stream of events, each of which has to follow the one before it. */
export function events(port: number, random: Random): Promise<void> {
  const [token, count] = [random.word(8, 8), random.between(5, 200)];
  return new Promise((resolve, reject) => {
    const path = `/api/ticks?token=${token}&count=${count}`;
    const headers = { connection: 'close' };
    const asked = http.get({ host: '127.0.0.1', port, path, headers }, (answer) => {
      let came = '';
      let next = 0;
      answer.setEncoding('utf8').on('data', (piece: string) => {
        came += piece;
        const whole = came.split('\n\n');
        came = whole.pop() ?? '';
        try {
          for (const event of whole) {
            if (event.startsWith(':')) continue;
            assert.deepEqual(JSON.parse(event.replace('data: ', '')), { token, tick: next });
            next += 1;
          }
        } catch (wrong) {
          reject(wrong);
          asked.destroy();
        }
      });
      answer.on('error', ({ message }) => reject(new Lost(`events broke off after ${next}: ${message}`)));
      answer.on('end', () => {
        if (answer.statusCode === 200 && next === count) resolve();
        else reject(new Lost(`events ended with ${next} of ${count}, status ${answer.statusCode}`));
      });
    });
    asked.setTimeout(PATIENCE, () => asked.destroy(new Error('silent for 20 s')));
    asked.on('error', ({ message }) => reject(new Lost(`events: ${message}`)));
  });
}

/** A socket whose messages come back, one by one. */
export function socket(port: number, random: Random): Promise<void> {
  const count = random.between(5, 100);
  return new Promise((resolve, reject) => {
    const opened = new WebSocket(`ws://127.0.0.1:${port}/ws/echo`, { handshakeTimeout: PATIENCE });
    let sent = '';
    let came = 0;
    const next = () => {
      sent = random.word(1, 500);
      opened.send(sent);
    };
    const timer = setTimeout(() => opened.terminate(), PATIENCE);
    opened.on('open', next).on('message', (data: Buffer) => {
      came += 1;
      if (data.toString() !== sent) {
        reject(new assert.AssertionError({ message: 'another message came back', actual: data.toString() }));
        return opened.terminate();
      }
      if (came < count) setTimeout(next, 10);
      else opened.close(1000);
    });
    opened.on('error', ({ message }) => reject(new Lost(`socket: ${message}`)));
    opened.on('close', (code) => {
      clearTimeout(timer);
      if (came === count) resolve();
      else reject(new Lost(`the socket closed with ${code} after ${came} of ${count}`));
    });
  });
}

const REQUESTS = [
  'GET /api/large/cut HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n',
  'GET /numbers.txt HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /api/ticks?count=100&token=cut HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /api/cached/cut HTTP/1.1\r\nHost: x\r\n\r\n',
  `POST /api/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n${JSON.stringify('a'.repeat(898))}`,
  `POST /api/upload HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 100000\r\n\r\n--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n${'z'.repeat(99_000)}`,
  'GET /ws/echo HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n\x81\xfe',
];

/** A client that leaves in the middle of what it says, or of what it is told. */
export function cut(port: number, random: Random): Promise<void> {
  const text = Buffer.from(random.pick(REQUESTS), 'latin1');
  const isSaid = random.chance(50);
  const bytes = isSaid ? random.between(1, text.length) : random.between(1, 20_000);
  const isReset = random.chance(50);
  return new Promise((resolve) => {
    const opened = net.connect(port, '127.0.0.1');
    let came = 0;
    const leave = () => (isReset ? opened.resetAndDestroy() : opened.destroy());
    const timer = setTimeout(leave, 2_000);
    opened.on('connect', () => {
      if (isSaid) opened.write(text.subarray(0, bytes), leave);
      else opened.write(text);
    });
    opened.on('data', (piece) => {
      came += piece.length;
      if (!isSaid && came >= bytes) leave();
    });
    opened
      .on('error', () => {})
      .on('close', () => {
        clearTimeout(timer);
        resolve();
      });
  });
}
