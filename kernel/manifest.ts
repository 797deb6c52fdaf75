import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What plugins recorded of the files of a compiled project when it was built, by file. */
export type Facts = ReadonlyMap<string, unknown>;

/** Beside the compiled entry file. */
export const MANIFEST = 'fwk.manifest.json';

interface Manifest {
  /** Digest of every module of the tree. */
  readonly tree: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** The facts of the compiled tree in `source`: none when it was not built by `fwk build`, or changed since. */
export function readFacts(source: string): Facts {
  const file = join(source, MANIFEST);
  if (!existsSync(file)) return new Map();
  const { tree, facts } = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
  return new Map(tree === digest(source) ? Object.entries(facts) : []);
}

/** The text of the manifest for the compiled tree in `source`. */
export function writeFacts(source: string, facts: Facts): string {
  return `${JSON.stringify({ tree: digest(source), facts: Object.fromEntries(facts) } satisfies Manifest, null, 1)}\n`;
}

/** What a module exports may come from any other, so one that changed anywhere makes all facts void. */
function digest(source: string): string {
  // Not imported: every command would wait 2 ms for what only a build and a start in production need.
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256');
  const visit = (directory: string): void => {
    const dirents = readdirSync(directory, { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    );
    for (const dirent of dirents) {
      const path = join(directory, dirent.name);
      if (dirent.isDirectory()) {
        if (dirent.name !== 'node_modules') visit(path);
      } else if (/\.(m?js|json)$/.test(dirent.name) && dirent.name !== MANIFEST) {
        hash.update(`${dirent.name}\n`).update(readFileSync(path));
      }
    }
  };
  visit(source);
  return hash.digest('base64');
}
