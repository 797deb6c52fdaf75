import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { tarball } from './packages.js';

/** A registry that has the packages of this repository as they are published; all else it asks of the one behind it. */
export interface Registry {
  readonly url: string;
  close(): void;
}

export async function registry(names: readonly string[]): Promise<Registry> {
  const behind = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' })
    .trim()
    .replace(/\/$/, '');
  const files = new Map<string, Buffer>();
  const documents = new Map<string, object>();
  const server = createServer((req, res) => void answer(req, res).catch(() => res.destroy()));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const name of names) publish(name);
  return {
    url,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };

  function publish(name: string): void {
    const bytes = readFileSync(tarball(name));
    const text = execFileSync('tar', ['-xzO', 'package/package.json'], { input: bytes, encoding: 'utf8' });
    const manifest = JSON.parse(text) as { version: string };
    const path = `/${name}/-/package.tgz`;
    files.set(path, bytes);
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
    const { version } = manifest;
    documents.set(`/${name}`, {
      name,
      'dist-tags': { latest: version },
      versions: { [version]: { ...manifest, dist: { tarball: url + path, integrity } } },
    });
  }

  async function answer({ url: target = '', headers }: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = decodeURIComponent(target);
    const file = files.get(path);
    const document = documents.get(path);
    if (file) return void res.end(file);
    if (document) return void res.setHeader('content-type', 'application/json').end(JSON.stringify(document));
    const response = await fetch(behind + target, { headers: { accept: headers.accept ?? '*/*' } });
    res.statusCode = response.status;
    for (const name of ['content-type', 'cache-control', 'etag']) {
      const value = response.headers.get(name);
      if (value !== null) res.setHeader(name, value);
    }
    if (response.body) Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]).pipe(res);
    else res.end();
  }
}
