import { createRequire } from 'node:module';
import type picomatch from 'picomatch';
import { PluginMisuse } from './errors.js';

/** One claimed file. Only its path is known: importing it is a separate step. */
export interface Entry {
  /** The kind given to `Claims.add`. */
  readonly kind: string;
  /** Path relative to the source directory, with forward slashes. */
  readonly file: string;
}

interface Claim {
  readonly plugin: string;
  readonly kind: string;
  /** The literal part of the glob, up to the first wildcard; '' if the glob begins with a wildcard. */
  readonly base: string;
  /** Whether the glob matches files directly in the source directory, not in its subdirectories. */
  readonly isTop: boolean;
  /** Whether the last segment of the glob begins with `_`. Other globs never match a file named `_…`. */
  readonly underscore: boolean;
  /** Whether the glob names the extension of its files. Other globs match only modules. */
  readonly extension: boolean;
  matches(file: string): boolean;
}

/** Assigns a kind to each file. The `discover` hook adds the claims, then `scan` looks up every file. */
export class Claims {
  readonly #claims: Claim[] = [];
  readonly #caller: () => string;

  /** `caller` returns the name of the plugin whose tap is running. */
  constructor(caller: () => string) {
    this.#caller = caller;
  }

  /**
   * Claim the files that match `glob`, relative to the source directory, for `kind`. A glob that begins with `**` matches inside
   * the directories of other claims. A glob without a slash matches files next to `fwk.config`. The first matching claim wins.
   * Files other than modules match only globs that name their extension: `content/**\/*.md`.
   */
  add(kind: string, glob: string): void {
    if (typeof kind !== 'string' || typeof glob !== 'string')
      throw new PluginMisuse("it claims files without a kind and a glob: claims.add('job', 'jobs/**')");
    const wildcard = glob.search(/[*?[\]{}()!]/);
    const base = wildcard === -1 ? glob : glob.slice(0, wildcard);
    const matcher = lazyMatcher(glob);
    this.#claims.push({
      plugin: this.#caller(),
      kind,
      base,
      isTop: !glob.includes('/'),
      underscore: glob.startsWith('_', glob.lastIndexOf('/') + 1),
      extension: NAMED_EXTENSION.test(glob),
      matches:
        glob === `${base}**`
          ? (file) => file.startsWith(base)
          : (file) => file.startsWith(base) && matcher(file),
    });
  }

  /** The claimed top-level directories, sorted, each with a slash; '' stands for files directly in the source directory. */
  get folders(): readonly string[] {
    const named = this.#claims.filter(({ base, isTop }) => isTop || base !== '');
    return [...new Set(named.map(({ base, isTop }) => (isTop ? '' : `${base.split('/', 1)[0]}/`)))].sort();
  }

  /**
   * Returns a function that looks up the kind of a file below `folder`, or undefined if no plugin claims the file. A file that two
   * plugins claim is reported. The claims are filtered by folder once, which is faster than trying all of them for every file.
   */
  within(folder: string, report: (file: string, message: string) => void): KindOf {
    const candidates = this.#claims.filter(
      ({ base, isTop }) => isTop === (folder === '') && (folder.startsWith(base) || base.startsWith(folder)),
    );
    return (file, name, isModule) => {
      let first: Claim | undefined;
      for (const claim of candidates) {
        if (claim.plugin === first?.plugin || claim.underscore !== name.startsWith('_')) continue;
        if (!(isModule || claim.extension) || !claim.matches(file)) continue;
        if (first) {
          const plugins = `plugin "${first.plugin}" and by plugin "${claim.plugin}"`;
          report(file, `is claimed by ${plugins}. Move it, or disable one of them.`);
          return first.kind;
        }
        first = claim;
      }
      return first?.kind;
    };
  }
}

/** The kind of `file`, whose last segment is `name`. */
type KindOf = (file: string, name: string, isModule: boolean) => string | undefined;

const NAMED_EXTENSION = /\.[\w{},]+$/;

/**
 * Loads picomatch at the first use. Most globs are a whole directory, and commands start 3 ms faster without picomatch. A glob of
 * `.tsx` or `.jsx` files also matches the `.js` files that they are compiled to.
 */
function lazyMatcher(glob: string): Claim['matches'] {
  let matcher: ((file: string) => boolean) | undefined;
  const compiled = /[jt]sx\b[^/]*$/.test(glob) ? [glob, glob.replace(/[jt]sx\b(?=[^/]*$)/g, 'js')] : glob;
  return (file) => {
    matcher ??= (createRequire(import.meta.url)('picomatch') as typeof picomatch)(compiled);
    return matcher(file);
  };
}
