import type { StackFrame } from './frame.js';

/** The state of a stack when the engine created it. */
interface Ran {
  /** Executed texts by file; the files may have changed since. */
  readonly texts: ReadonlyMap<string, string>;
  readonly frames: readonly StackFrame[];
}

const known = new WeakMap<object, Ran>();

export function remember(error: object, ran: Ran): void {
  known.set(error, ran);
}

const ranBehind = (thrown: unknown): Ran | undefined =>
  thrown instanceof Error ? known.get(thrown) : undefined;

/** The text of `file` that the stack of `thrown` refers to; undefined if no source loader ran it. */
export const textBehind = (thrown: unknown, file: string): string | undefined =>
  ranBehind(thrown)?.texts.get(file);

/** The frames of `thrown` as the engine recorded them; undefined if no source loader had run anything by then. */
export const framesBehind = (thrown: unknown): readonly StackFrame[] | undefined => ranBehind(thrown)?.frames;
