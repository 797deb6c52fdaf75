/** A promise, and the function that resolves it: with a value, or with what becomes of another promise. */
export class Deferred<T = void> {
  resolve: (value: T | PromiseLike<T>) => void = () => {};
  readonly promise = new Promise<T>((resolve) => (this.resolve = resolve));
}
