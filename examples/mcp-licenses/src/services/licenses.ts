import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { service } from 'fwkit';
import index from 'spdx-license-list';
import type { License } from '../lib/license.js';

const { resolve } = createRequire(import.meta.url);

/** The SPDX licenses of the package spdx-license-list. Texts are read on demand. */
export default service(() => {
  const all: readonly License[] = Object.entries(index)
    .map(([id, { name, osiApproved }]) => ({ id, name, osiApproved }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const byId = new Map(all.map((license) => [license.id.toLowerCase(), license]));

  return {
    all,

    /** Finds a license by its identifier, ignoring case. */
    find: (id: string): License | undefined => byId.get(id.toLowerCase()),

    /** Returns the licenses that contain all words of the query in their identifier or name. */
    search(query: string, isApproved?: boolean): readonly License[] {
      const words = query.toLowerCase().split(/\s+/).filter(Boolean);
      return all.filter(({ id, name, osiApproved }) => {
        const text = `${id} ${name}`.toLowerCase();
        return (
          (isApproved === undefined || osiApproved === isApproved) &&
          words.every((word) => text.includes(word))
        );
      });
    },

    /** Returns the identifiers that start with a prefix, for completions. */
    beginningWith: (prefix: string): string[] =>
      all.filter(({ id }) => id.toLowerCase().startsWith(prefix.toLowerCase())).map(({ id }) => id),

    /** Returns the full text. */
    async text({ id }: License): Promise<string> {
      const file = await readFile(resolve(`spdx-license-list/licenses/${id}.json`), 'utf8');
      return (JSON.parse(file) as { licenseText: string }).licenseText;
    },
  };
});
