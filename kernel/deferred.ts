/** A promise and the way to keep it. */
export class Signal {
  give = (): void => {};
  readonly given = new Promise<void>((resolve) => (this.give = resolve));
}
