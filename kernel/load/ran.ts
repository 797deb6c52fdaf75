/** Texts by file that ran when an error was made; the files may no longer hold them. */
const texts = new WeakMap<object, ReadonlyMap<string, string>>();

export function remember(error: object, ran: ReadonlyMap<string, string>): void {
  texts.set(error, ran);
}

/** The text of `file` that the stack of `thrown` tells of; undefined where no source loader ran it. */
export const textBehind = (thrown: unknown, file: string): string | undefined =>
  thrown instanceof Error ? texts.get(thrown)?.get(file) : undefined;
