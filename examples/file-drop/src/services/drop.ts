import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { error, service } from 'fwkit';
import { type Dropped, isId, type Kept, type Receipt, readKept } from '../lib/dropped.js';
import { write } from '../lib/incoming.js';
import { safeName } from '../lib/safe-name.js';
import { readSettings } from '../lib/settings.js';
import { asAnswer, Space } from '../lib/space.js';

/**
 * Milliseconds after which an unfinished upload counts as abandoned by a dead process: active uploads are written
 * continuously.
 */
const ABANDONED_MS = 3_600_000;
const HOUR_MS = 3_600_000;

/**
 * The files on the disk. Each file is named `<id>`, and its data is in `<id>.json`. The data is written last: without
 * it, the file doesn't exist. Unfinished uploads end in `.part`.
 */
export default service(async ({ logger }) => {
  const settings = readSettings();
  const space = new Space(settings);
  const root = path.resolve(settings.folder);
  const at = (name: string): string => path.join(root, name);
  let uploads = 0;
  await mkdir(root, { recursive: true });
  for (const name of await readdir(root)) if (isId(name)) space.take((await stat(at(name))).size);

  /** Stores a file and its data, or neither. */
  async function keep(
    source: Readable,
    id: string,
    announced: number,
    hours: number,
    about: Pick<Kept, 'name' | 'keyHash'>,
  ): Promise<Kept> {
    const claim = await space.claim(announced);
    try {
      const sha256 = await write(source, at(`${id}.part`), claim, settings.stall);
      const now = Date.now();
      const expires = new Date(now + Math.min(settings.keep, hours * HOUR_MS)).toISOString();
      const entry: Kept = { ...about, size: claim.size, sha256, added: new Date(now).toISOString(), expires };
      await writeFile(at(`${id}.json.part`), JSON.stringify(entry), { flag: 'wx', mode: 0o600, flush: true });
      await rename(at(`${id}.part`), at(id));
      await rename(at(`${id}.json.part`), at(`${id}.json`));
      return entry;
    } catch (thrown) {
      for (const name of [`${id}.part`, `${id}.json.part`, id]) await rm(at(name), { force: true });
      claim.release();
      throw asAnswer(thrown);
    }
  }

  async function read(id: string): Promise<Kept | undefined> {
    if (!isId(id)) return undefined;
    return readKept(await readFile(at(`${id}.json`), 'utf8').catch(() => ''));
  }

  /** Returns false if another process has already removed the file. */
  async function drop(id: string, { size }: Kept): Promise<boolean> {
    const isMine = await unlink(at(`${id}.json`)).then(
      () => true,
      () => false,
    );
    if (isMine) {
      await rm(at(id), { force: true });
      space.give(size);
    }
    return isMine;
  }

  return {
    root,
    settings,
    space,

    /**
     * Stores an upload for at most `hours`. `announced` is its size if the client has sent it, otherwise 0. Throws an
     * HTTP error: 413, 507, 503, or 408.
     */
    async add(
      source: Readable,
      name: string,
      announced = 0,
      hours = Number.POSITIVE_INFINITY,
    ): Promise<Receipt> {
      if (uploads >= settings.maxUploads)
        throw error(503, 'Too many uploads are running. Try again in a minute.');
      uploads += 1;
      try {
        const [id, key] = [randomText(), randomText()];
        const entry = await keep(source, id, announced, hours, {
          name: safeName(name),
          keyHash: hashOf(key),
        });
        logger.info({ id, size: entry.size }, 'a file was uploaded');
        return { ...publicDataOf(id, entry), key };
      } finally {
        uploads -= 1;
      }
    },

    /** Returns the file with this id, unless it has expired. */
    async find(id: string): Promise<Dropped | undefined> {
      const entry = await read(id);
      return entry && Date.parse(entry.expires) > Date.now() ? publicDataOf(id, entry) : undefined;
    },

    /** Removes a file for its sender; returns false if it doesn't exist. Throws 403 for a wrong key. */
    async remove(id: string, key: string): Promise<boolean> {
      const entry = await read(id);
      if (!entry) return false;
      if (!timingSafeEqual(Buffer.from(hashOf(key)), Buffer.from(entry.keyHash)))
        throw error(403, 'Wrong key for this file.');
      return drop(id, entry);
    },

    /**
     * Removes files that expired before `now`, and partial files of dead processes. Returns the number of expired
     * files.
     */
    async sweep(now = Date.now()): Promise<number> {
      let removed = 0;
      const names = new Set(await readdir(root));
      for (const name of names) {
        const id = name.slice(0, 22);
        if (name === `${id}.json`) {
          const entry = await read(id);
          if (entry && Date.parse(entry.expires) <= now && (await drop(id, entry))) removed += 1;
        } else if (name.endsWith('.part') || (isId(name) && !names.has(`${name}.json`))) {
          const { mtimeMs, size } = await stat(at(name)).catch(() => ({ mtimeMs: now, size: 0 }));
          if (now - mtimeMs < ABANDONED_MS) continue;
          await rm(at(name), { force: true });
          if (isId(name)) space.give(size);
        }
      }
      return removed;
    },
  };
});

const publicDataOf = (id: string, { keyHash: _, ...kept }: Kept): Dropped => ({
  id,
  ...kept,
  url: `/files/${id}/${encodeURIComponent(kept.name)}`,
});

const randomText = (): string => randomBytes(16).toString('base64url');
const hashOf = (key: string): string => createHash('sha256').update(key).digest('base64url');
