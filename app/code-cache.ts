import { Script } from 'node:vm';

declare global {
  interface ImportMeta {
    /** The code that V8 has compiled of the core so far, serialized. Only the bundled core has it. */
    readonly codeSoFar?: () => Buffer;
    /** Whether this process compiled the core and Node doesn't cache it for the next process. */
    readonly isLost?: boolean;
  }
}

/** Next to the entry file. With it, a start doesn't compile the core. bundle/facade.js reads it. */
export const CODE_CACHE = 'fwk.code-cache';

/** Whether V8 compiled the core in this process, and will have to compile it in the next one. */
export const isCodeLost: boolean = import.meta.isLost === true;

let nothingAtStart: Buffer | undefined;

/** Call this at the start of a process that saves its code, so that `isCodeOfStart` can compare. */
export function noteFlags(): void {
  nothingAtStart = nothingCompiled();
}

/** Whether a process with this one's initial flags could use code that is saved now: modules of a project may set V8 flags. */
export const isCodeOfStart = (): boolean => nothingAtStart?.equals(nothingCompiled()) === true;

/** The cache data includes V8's flags, because they change the compiled code. */
const nothingCompiled = (): Buffer => new Script('').createCachedData();

export function codeSoFar(): Buffer {
  if (import.meta.codeSoFar === undefined) throw new Error('only the core of the bundle can be kept');
  return import.meta.codeSoFar();
}
