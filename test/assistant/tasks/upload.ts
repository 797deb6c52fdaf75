import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { Task } from '../task.js';

const BYTES = 12_000_000;

export const upload: Task = {
  ask: `POST /api/pictures takes a multipart form with the file field "picture", of any size, and saves it below the directory uploads/ at the
root of the project (make it where it is not there), under a new random name. It must never have the whole file in memory. It answers 201 with
the JSON {"name": <the name under uploads/>, "bytes": <its size>}, and 400 where the form has no such file.`,
  solution: {
    'api/pictures.post.ts': `import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { error, type HttpRequest, type Part, post } from 'fwkit';

export default post(async (req: HttpRequest<never, AsyncIterable<Part>>, res) => {
  for await (const part of req.body) {
    if (!('stream' in part) || part.name !== 'picture') continue;
    const name = randomUUID();
    await mkdir('uploads', { recursive: true });
    await pipeline(part.stream, createWriteStream(join('uploads', name)));
    res.status(201);
    return { name, bytes: (await stat(join('uploads', name))).size };
  }
  throw error(400, { message: 'picture is required' });
}).meta({ body: 'stream' });
`,
  },
  async check({ url, project }) {
    const bytes = Buffer.alloc(BYTES, 'a picture ');
    const form = new FormData();
    form.set('picture', new Blob([bytes]), '../../evil.png');
    const response = await fetch(`${url}/api/pictures`, { method: 'POST', body: form });
    assert.is(response.status, 201, await response.clone().text());
    const saved = (await response.json()) as { name: string; bytes: number };
    assert.is(saved.bytes, BYTES);
    assert.ok(readFileSync(join(project.root, 'uploads', saved.name)).equals(bytes));
    assert.not.ok(existsSync(join(project.root, '../evil.png')));
    const empty = new FormData();
    empty.set('other', 'text');
    assert.is((await fetch(`${url}/api/pictures`, { method: 'POST', body: empty })).status, 400);
    assert.is(readdirSync(join(project.root, 'uploads')).length, 1);
  },
};
