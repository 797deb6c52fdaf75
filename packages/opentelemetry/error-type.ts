/** `error.type` of the semantic conventions: the class of an error, since there is no end to messages. */
export const errorType = (error: unknown): string =>
  error instanceof Error ? error.constructor.name || error.name : typeof error;
