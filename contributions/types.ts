import type { Entry, Project } from '../kernel/index.js';

declare module '../kernel/plugin.js' {
  interface Contributor {
    /** Its part of the generated types, from paths alone; undefined for none. */
    readonly types?: (
      project: Project,
      plugins: ReadonlyMap<string, Contributor>,
    ) => TypeContribution | undefined;
    /**
     * The types of what it provides as `ctx.<key>`, from paths alone: `{ queues: "import('fwk-queues').Queues" }`; undefined
     * where it provides nothing.
     */
    readonly provides?: (project: Project) => Readonly<Record<string, string | undefined>> | undefined;
  }
}

/** What the default export of a file has to be, for the compiler to say where it is something else. */
export interface ExportCheck {
  /** Relative to the source directory. */
  readonly file: string;
  /** The TypeScript type that its default export is assigned to: `import('fwkit').MiddlewareModule`. */
  readonly accepts: string;
  /** What is said of any other default export. It completes "the file …". */
  readonly wrong: string;
  /** What is said where there is no default export. Default: `wrong`. */
  readonly missing?: string;
}

/** Declarations for `.fwk/types.d.ts`. */
export interface TypeContribution {
  /** Whole lines that import what the declarations name: `import type { Provided } from 'fwkit';`. */
  readonly imports?: readonly string[];
  /** The lines inside `declare module 'fwkit' { … }`, indented by two spaces; the last may lack its newline. */
  readonly declarations: string;
  /** What `fwk types --check` requires of files of the convention; it alone asks. JavaScript is left to the boot check. */
  readonly exports?: () => readonly ExportCheck[];
}

/**
 * The type of a project's module, for `.fwk/types.d.ts`: `(typeof import("../src/services/mail.js"))`. It names the file as it
 * is called when compiled; what follows is up to the caller: `['default']`.
 */
export function moduleType(project: Project, { file }: Pick<Entry, 'file'>): string {
  const compiled = file.endsWith('ts') ? `${file.slice(0, -2)}js` : file;
  return `(typeof import(${JSON.stringify(`../${project.display(compiled)}`)}))`;
}
