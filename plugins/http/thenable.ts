/** Whether to wait for `value`: layers of the request path stay synchronous as long as handlers do. */
export const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
