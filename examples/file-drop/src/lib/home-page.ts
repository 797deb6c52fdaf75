import type { RuntimeCtx } from 'fwkit';
import type { Receipt } from './dropped.js';
import { readable } from './settings.js';

/** The home page. */
export async function homePage({ drop: { space, settings } }: RuntimeCtx) {
  return {
    maxFile: readable(settings.maxFile),
    maxFileBytes: settings.maxFile,
    free: readable(await space.free()),
    hours: settings.keep / 3_600_000,
    receipts: [] as readonly Receipt[],
    message: undefined as string | undefined,
  };
}
