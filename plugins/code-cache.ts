declare global {
  interface ImportMeta {
    /** In the bundle (bundle/facade.js): what V8 made of the core so far, in the form in which it is read again. */
    readonly code?: () => Buffer;
  }
}

/** Beside the compiled entry file: with it, a start compiles nothing of the core. */
export const CODE_CACHE = 'fwk.code-cache';

/** What to keep as that; undefined where the core is not the bundle's. */
export const codeSoFar = (): Buffer | undefined => import.meta.code?.();
