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
    const underscore = hasUnderscore(glob);
    this.#claims.push({
      plugin: this.#caller(),
      kind,
      base,
      isTop: !glob.includes('/'),
      underscore,
      matches: glob === `${base}**` ? () => true : lazyMatcher(glob),
    });
  }

  /** The top-level directories that are worth walking. */
  get directories(): readonly string[] {
    const names = this.#claims.map(({ base, isTop }) => (isTop ? '' : (base.split('/', 1)[0] ?? '')));
    return [...new Set(names)].filter((name) => name !== '').sort();
  }

  /** Whether files of the source directory itself may be claimed. */
  get hasTop(): boolean {
    return this.#claims.some(({ isTop }) => isTop);
  }

  /** The kind that owns `file`, or undefined when nobody claimed it. It is reported where two plugins did. */
  kindOf(file: string, report: (message: string) => void): string | undefined {
    const underscore = hasUnderscore(file);
    const isTop = !file.includes('/');
    const isOwn = (claim: Claim) =>
      claim.isTop === isTop &&
      claim.underscore === underscore &&
      file.startsWith(claim.base) &&
      claim.matches(file);
    const first = this.#claims.find(isOwn);
    if (!first) return undefined;
    const second = this.#claims.find((claim) => claim.plugin !== first.plugin && isOwn(claim));
    if (second)
      report(
        `is claimed by plugin "${first.plugin}" and by plugin "${second.plugin}". Move it, or disable one of them.`,
      );
    return first.kind;
  }
}

const hasUnderscore = (path: string): boolean => path.startsWith('_', path.lastIndexOf('/') + 1);

/** Most patterns are a whole directory; only others need the matcher, and commands start 3 ms faster without it. */
function lazyMatcher(glob: string): Claim['matches'] {
  let matcher: ((file: string) => boolean) | undefined;
  return (file) => {
    matcher ??= (createRequire(import.meta.url)('picomatch') as typeof picomatch)(glob);
    return matcher(file);
  };
}
