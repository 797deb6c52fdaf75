import type { HttpResponse } from '../http/index.js';

/** 4xx is what a client did wrong. A 429 is a limit of its own, and 5xx the fault of the server. */
const isFailure = (status: number): boolean => status >= 400 && status < 500 && status !== 429;

/** Call `act` once, when the answer turns out to be no failure. A client that leaves before its answer counts as one. */
export function whenSucceeded(res: HttpResponse, act: () => void): void {
  let isOpen = true;
  const settle = (status: number): void => {
    if (isOpen && !isFailure(status)) act();
    isOpen = false;
  };
  // Streams and sockets end late, if ever.
  res.beforeHead(() => settle(res.statusCode ?? 200));
  res.raw.once('close', () => {
    if (res.raw.headersSent) settle(res.raw.statusCode);
  });
}
