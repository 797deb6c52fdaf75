import { createRequire } from 'node:module';
import type picomatch from 'picomatch';

/** One claimed file. Known by its path alone; importing it is a separate, explicit step. */
export interface Entry {
  /** The kind that the claim named. */
  readonly kind: string;
  /** Path relative to the source directory, with forward slashes. */
  readonly file: string;
}

interface Claim {
  readonly plugin: string;
  readonly kind: string;
  /** The beginning of a matching path, up to the first wildcard; '' when it may be below any claimed directory. */
  readonly base: string;
  /** Whether it is about files of the source directory itself, and not of those in it. */
  readonly isTop: boolean;
  /** Whether the pattern names files that begin with `_`; only such a pattern gets them. */
  readonly underscore: boolean;
  matches(file: string): boolean;
}

/** Which files belong to which kind. Filled once by the `discover` hook, then asked for every file. */
export class Claims {
  readonly #claims: Claim[] = [];
  readonly #caller: () => string;

  /** `caller`: the name of the plugin that claims. */
  constructor(caller: () => string) {
    this.#caller = caller;
  }

  /**
   * Say that files matching `glob`, relative to the source directory, are of `kind`. A glob that begins with `**`
   * matches inside the directories that other claims name; one without a slash, beside `fwk.config`. The first claim that matches a
   * file has it.
   */
  add(kind: string, glob: string): void {
    const wildcard = glob.search(/[*?[\]{}()!]/);
    const base = wildcard === -1 ? glob : glob.slice(0, wildcard);
    const matcher = lazyMatcher(glob);
    this.#claims.push({
      plugin: this.#caller(),
      kind,
      base,
      isTop: !glob.includes('/'),
      underscore: glob.startsWith('_', glob.lastIndexOf('/') + 1),
      matches:
        glob === `${base}**`
          ? (file) => file.startsWith(base)
          : (file) => file.startsWith(base) && matcher(file),
    });
  }

  /** The directories of the source directory that are worth walking, with a slash, sorted; '' where files of itself may be claimed. */
  get folders(): readonly string[] {
    const named = this.#claims.filter(({ base, isTop }) => isTop || base !== '');
    return [...new Set(named.map(({ base, isTop }) => (isTop ? '' : `${base.split('/', 1)[0]}/`)))].sort();
  }

  /**
   * For the files below one of the folders: a function that gives the kind which owns a file, or undefined where nobody claimed
   * it. It is reported where two plugins did. Few claims are about one folder: not all are looked through for every file.
   */
  within(folder: string, report: (file: string, message: string) => void): KindOf {
    const near = this.#claims.filter(
      ({ base, isTop }) => isTop === (folder === '') && (folder.startsWith(base) || base.startsWith(folder)),
    );
    const plain = near.filter(({ underscore }) => !underscore);
    const underscored = near.filter(({ underscore }) => underscore);
    return (file, name) => {
      let first: Claim | undefined;
      for (const claim of name.startsWith('_') ? underscored : plain) {
        if (claim.plugin === first?.plugin || !claim.matches(file)) continue;
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
type KindOf = (file: string, name: string) => string | undefined;

/** Most patterns are a whole directory; only others need the matcher, and commands start 3 ms faster without it. */
function lazyMatcher(glob: string): Claim['matches'] {
  let matcher: ((file: string) => boolean) | undefined;
  return (file) => {
    matcher ??= (createRequire(import.meta.url)('picomatch') as typeof picomatch)(glob);
    return matcher(file);
  };
}
