import type { Cover } from '../services/covers.js';

/** The first bytes of images. The content type that a browser sends can't be trusted. */
const BEGINNINGS: Readonly<Record<string, readonly number[]>> = {
  'image/png': [0x89, 0x50, 0x4e, 0x47],
  'image/jpeg': [0xff, 0xd8, 0xff],
  'image/gif': [0x47, 0x49, 0x46, 0x38],
};

/** The cover in an uploaded form; undefined without an image that browsers can show. */
export async function readCoverForm(body: unknown): Promise<Cover | undefined> {
  if (typeof body !== 'object' || body === null || !('cover' in body) || !(body.cover instanceof File))
    return undefined;
  const bytes = new Uint8Array(await body.cover.arrayBuffer());
  const found = Object.entries(BEGINNINGS).find(([, beginning]) =>
    beginning.every((byte, at) => bytes[at] === byte),
  );
  return found && { type: found[0], bytes };
}
