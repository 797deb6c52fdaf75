import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, type Project } from '../../../kernel/index.js';
import type { JsonSchema } from '../../http/index.js';
import type { OpenapiSettings } from '../settings.js';

const textOr = (value: unknown, otherwise?: string): string | undefined =>
  typeof value === 'string' && value !== '' ? value : otherwise;

/** What the API is called, by the options, else by package.json. */
export async function infoOf({ root }: Project, settings: OpenapiSettings): Promise<JsonSchema> {
  const manifest = await manifestOf(root);
  const description = settings.description ?? textOr(manifest.description);
  const license = textOr(manifest.license);
  return {
    title: settings.title ?? textOr(manifest.name, 'API'),
    version: settings.version ?? textOr(manifest.version, '0.0.0'),
    ...(description === undefined ? {} : { description }),
    // `identifier` is an SPDX expression; `UNLICENSED` and `SEE LICENSE IN …` of npm are none.
    ...(license !== undefined && /^(?!UNLICENSED$)[\w.+-]+$/.test(license)
      ? { license: { name: license, identifier: license } }
      : {}),
  };
}

async function manifestOf(root: string): Promise<JsonSchema> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    return isObject(manifest) ? manifest : {};
  } catch {
    return {};
  }
}
