import type { BaseRoute, Output, ProblemCode, Project } from '../kernel/index.js';

declare module '../kernel/plugin.js' {
  interface Contributor {
    /** Its rules for `fwk doctor`, loaded only for that command. */
    readonly doctor?: () => Promise<Doctor>;
  }
}

/** A likely mistake in a project that still compiles. */
export interface Finding {
  /** The name of the rule, in kebab-case: `unused-value`. Users skip the rule by this name. */
  readonly rule: string;
  /** The code to look up: `npx fwk docs FWK314`. A plugin uses its own codes, such as `ACME-12`, or none. */
  readonly code?: ProblemCode;
  /** Relative to the project root; absent if the finding is not about a file. */
  readonly file?: string;
  /** 1-based. */
  readonly line?: number;
  /** The problem and why it matters: sentences, or the end of one that begins with `file`. No secrets. */
  readonly message: string;
  /** The fix: a sentence. */
  readonly fix: string;
  /** The files to write for the fix, if none of the user's text can be lost; absent if a person has to decide. */
  readonly outputs?: readonly Output[];
}

/** A project, as the rules see it. */
export interface Examination {
  /** Not resolved if it does not boot. */
  readonly project: Project;
  /** Undefined if the project does not boot. */
  readonly routes: readonly BaseRoute[] | undefined;
  /** The texts of the project's own modules, including tests and scripts, by path relative to the root. */
  readonly sources: ReadonlyMap<string, string>;
}

/** A plugin's rules for `fwk doctor`. */
export interface Doctor {
  /** Find likely mistakes. Only reads: must not write files or import project code. */
  examine(examination: Examination): readonly Finding[] | Promise<readonly Finding[]>;
}
