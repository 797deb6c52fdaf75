import { once } from 'node:events';
import { rmSync } from 'node:fs';
import http from 'node:http';
import type { Random } from '../fuzz/random.js';

export type Mood = 'well' | 'away' | 'slow' | 'rejects';

/** The store of sessions, which lives in this process and may be away. */
export class Store {
  mood: Mood = 'well';
  readonly #sessions = new Map<string, string>();
  readonly #path: string;
  readonly #server: http.Server;

  constructor(path: string, random: Random) {
    this.#path = path;
    this.#server = http.createServer((req, res) => {
      if (this.mood === 'away') return void req.socket.destroy();
      const pieces: Buffer[] = [];
      req
        .on('data', (piece: Buffer) => pieces.push(piece))
        .on('end', () => {
          const answer = this.#done(req, Buffer.concat(pieces).toString());
          const send = () => void res.writeHead(answer.status).end(answer.text);
          // It is done in the order in which it was asked for; only the answer is late.
          if (this.mood === 'slow') setTimeout(send, random.between(100, 1_500));
          else send();
        });
    });
  }

  async open(): Promise<void> {
    rmSync(this.#path, { force: true });
    this.#server.listen(this.#path);
    await once(this.#server, 'listening');
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** Does what is asked for; gives what to answer. */
  #done({ method, url = '' }: http.IncomingMessage, text: string): { status: number; text?: string } {
    const id = url.split('?')[0] ?? '';
    if (this.mood === 'rejects') return { status: 500 };
    const kept = this.#sessions.get(id);
    if (method === 'PUT') this.#sessions.set(id, text);
    if (method === 'DELETE') this.#sessions.delete(id);
    return method === 'GET' && kept !== undefined ? { status: 200, text: kept } : { status: 204 };
  }
}
