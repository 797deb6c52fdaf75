/** A promise, and the function that resolves it. */
export class Deferred<T = void> {
  resolve: (value: T) => void = () => {};
  readonly promise = new Promise<T>((resolve) => (this.resolve = resolve));
}
