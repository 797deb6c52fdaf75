import { Script } from 'node:vm';

declare global {
  interface ImportMeta {
    /** The code that V8 compiled of the core so far, in the form in which it is read again. Of the bundle's core alone. */
    readonly codeSoFar?: () => Buffer;
    /** Whether this process compiled it, and Node keeps nothing of that for the next one. */
    readonly isLost?: boolean;
  }
}

/** Beside the entry file that is run: with it, a start compiles nothing of the core. Read by bundle/facade.js. */
export const CODE_CACHE = 'fwk.code-cache';

/** Whether V8 compiled the core in this process, and the next one will have to. */
export const isCodeLost: boolean = import.meta.isLost === true;

let nothingAtStart: Buffer | undefined;

/** Call it at the start of a process whose code will be kept, and `isCodeOfStart` tells whether it can be. */
export function noteFlags(): void {
  nothingAtStart = nothingCompiled();
}

/** Whether a process with the flags that this one began with would take code of now: what a project imports may set some. */
export const isCodeOfStart = (): boolean => nothingAtStart?.equals(nothingCompiled()) === true;

/** It is another one where V8 has other flags. */
const nothingCompiled = (): Buffer => new Script('').createCachedData();

/** The contents of that file. Throws where the core is not the bundle's. */
export function codeSoFar(): Buffer {
  if (import.meta.codeSoFar === undefined) throw new Error('only the core of the bundle can be kept');
  return import.meta.codeSoFar();
}
