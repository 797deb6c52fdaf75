declare global {
  interface ImportMeta {
    /** The code that V8 has compiled of the core so far, serialized. Only the bundled core has it. */
    readonly codeSoFar?: () => Buffer;
  }
}

/** Next to the entry file. With it, a start doesn't compile the core. bundle/facade.js reads it. */
export const CODE_CACHE = 'fwk.code-cache';

export function codeSoFar(): Buffer {
  if (import.meta.codeSoFar === undefined) throw new Error('only the core of the bundle can be kept');
  return import.meta.codeSoFar();
}
