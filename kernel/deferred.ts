/** A promise and the way to keep it. */
export class Deferred {
  resolve = (): void => {};
  readonly promise = new Promise<void>((resolve) => (this.resolve = resolve));
}
