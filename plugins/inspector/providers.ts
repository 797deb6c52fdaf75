import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Project, ProviderInfo } from '../../kernel/index.js';
import { readsOf } from '../context/index.js';

/** A value of `ctx`. */
export interface ShownProvider {
  readonly key: string;
  readonly file: string;
  readonly lifetime: string;
  /** Keys that it reads. */
  readonly reads: readonly string[];
  /** `seen`: they were read when it was made. `source`: they stand in its file, which is all that is known before. */
  readonly known: 'seen' | 'source';
}

/** The values of `ctx`, and which reads which. */
export const shownProviders = (project: Project): Promise<ShownProvider[]> => {
  const keys = new Set(project.providers.map(({ key }) => key));
  return Promise.all(project.providers.map((provider) => shownProvider(provider, keys, project)));
};

async function shownProvider(
  provider: ProviderInfo,
  keys: ReadonlySet<string>,
  project: Project,
): Promise<ShownProvider> {
  const { key, file, lifetime } = provider;
  const seen = readsOf(project, provider);
  const found = seen ?? (await readsInSource(join(project.source, file), keys, key));
  return {
    key,
    file: project.display(file),
    lifetime,
    reads: [...found].sort(),
    known: seen ? 'seen' : 'source',
  };
}

/** The keys that stand behind `ctx.`, or in the braces of a parameter, of a provider that is made anew for each request. */
async function readsInSource(
  path: string,
  keys: ReadonlySet<string>,
  own: string,
): Promise<readonly string[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const named = [...text.matchAll(/\bctx\.([\p{L}\p{N}$_]+)/gu)].map(([, key = '']) => key);
  const taken = [...text.matchAll(/\(\s{0,20}\{([^{}]{0,400})\}/g)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.split(':', 1).join().trim()),
  );
  return [...new Set([...named, ...taken])].filter((key) => keys.has(key) && key !== own);
}
