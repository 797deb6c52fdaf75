/** Whether to wait for `value`. What is no promise is passed on at once, so that layers stay as synchronous as what they wrap. */
export const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
