/** A text that belongs to `id`, of so many lines: what the app under test answers. */
export const textOf = (id: string, lines: number): string =>
  Array.from({ length: lines }, (_, line) => `${id} has ${(line * 7_919) % 1_000} in line ${line}`).join(
    '\n',
  );
