declare global {
  interface ImportMeta {
    /** The code that V8 compiled of the core so far, in the form in which it is read again. Of the bundle's core alone. */
    readonly codeSoFar?: () => Buffer;
  }
}

/** Beside the compiled entry file: with it, a start compiles nothing of the core. Read by bundle/facade.js. */
export const CODE_CACHE = 'fwk.code-cache';

/** The contents of that file. Throws where the core is not the bundle's. */
export function codeSoFar(): Buffer {
  if (import.meta.codeSoFar === undefined) throw new Error('only the core of the bundle can be kept');
  return import.meta.codeSoFar();
}
