import type { Entry, Project } from '../kernel/index.js';

declare module '../kernel/plugin.js' {
  interface Contributor {
    /** Its part of the generated types, from paths alone; undefined for none. */
    readonly types?: (
      project: Project,
      plugins: ReadonlyMap<string, Contributor>,
    ) => TypeContribution | undefined;
    /**
     * The types of the values that it provides as `ctx.<key>`, from paths alone: `{ queues:
     * "import('fwk-queues').Queues" }`, or `{ type, lifetime: 'request' }` for a value per request;
     * undefined if it provides none.
     */
    readonly provides?: (
      project: Project,
    ) => Readonly<Record<string, string | ProvidedType | undefined>> | undefined;
    /**
     * The TypeScript type of its options in `fwk.config`: `"import('fwk-jobs').JobsOptions"`. It is
     * also declared while the plugin is disabled.
     */
    readonly optionsType?: string;
  }
}

/** The type of a provided value that is not a singleton. */
interface ProvidedType {
  readonly type: string;
  readonly lifetime: 'request' | 'session';
}

/** The required type of a file's default export, so that the compiler reports a wrong one. */
export interface ExportCheck {
  /** Relative to the source directory. */
  readonly file: string;
  /** The TypeScript type that its default export is assigned to: `import('fwkit').MiddlewareModule`. */
  readonly accepts: string;
  /** The message for any other default export. It completes "the file …". */
  readonly wrong: string;
  /** The message if there is no default export. Default: `wrong`. */
  readonly missing?: string;
}

/** Declarations for `.fwk/types.d.ts`. */
export interface TypeContribution {
  /** Whole lines that import the names used in the declarations: `import type { Provided } from 'fwkit';`. */
  readonly imports?: readonly string[];
  /** The lines inside `declare module 'fwkit' { … }`, indented by two spaces; the last may lack its newline. */
  readonly declarations: string;
  /** The types that `fwk types --check` requires of the convention's files. Not called by other commands. */
  readonly exports?: () => readonly ExportCheck[];
}

/**
 * The type of a project's module, for `.fwk/types.d.ts`: `(typeof import("../src/services/mail.js"))`. It
 * names the compiled file; the caller adds the rest: `['default']`.
 */
export function moduleType(project: Project, { file }: Pick<Entry, 'file'>): string {
  return `(typeof import(${JSON.stringify(`../${project.display(compiledName(file))}`)}))`;
}

/** The name of a module after compilation: `home.js` for `home.tsx`. */
export const compiledName = (file: string): string => file.replace(/\.(m?)[jt]sx?$/, '.$1js');
