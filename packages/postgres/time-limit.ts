/** As `promise`, or rejected with what `late` gives when that takes longer than `limit` milliseconds. */
export function within<T>(promise: Promise<T>, limit: number, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    let isSettled = false;
    // An answer may have come while this process did something else for longer than that: it is read first.
    const timer = setTimeout(() => setImmediate(() => !isSettled && reject(late())), limit);
    const settle = (): void => {
      isSettled = true;
      clearTimeout(timer);
    };
    promise.then(
      (value) => {
        settle();
        resolve(value);
      },
      (cause) => {
        settle();
        reject(cause);
      },
    );
  });
}
