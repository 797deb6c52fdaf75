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
          const answer = () => this.#answer(req, res, Buffer.concat(pieces).toString());
          if (this.mood === 'slow') setTimeout(answer, random.between(100, 1_500));
          else answer();
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

  #answer({ method, url = '' }: http.IncomingMessage, res: http.ServerResponse, text: string): void {
    const id = url.split('?')[0] ?? '';
    if (this.mood === 'rejects') return void res.writeHead(500).end();
    const kept = this.#sessions.get(id);
    if (method === 'PUT') this.#sessions.set(id, text);
    if (method === 'DELETE') this.#sessions.delete(id);
    if (method === 'GET' && kept !== undefined) return void res.writeHead(200).end(kept);
    res.writeHead(204).end();
  }
}
