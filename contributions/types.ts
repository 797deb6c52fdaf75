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
     * "import('fwk-queues').Queues" }`; undefined if it provides none.
     */
    readonly provides?: (project: Project) => Readonly<Record<string, string | undefined>> | undefined;
  }
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
  /**
   * The types that `fwk types --check` requires of the convention's files; only that command calls it.
   * JavaScript is checked at boot.
   */
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
