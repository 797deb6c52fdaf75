import { HttpProblem, type HttpResponse } from '../http/index.js';
import type { Policy } from './policies.js';
import type { Decision } from './sliding-window.js';

/** A limit, as `RateLimit-Policy` says it. */
export const described = ({ name, limit, windowMs }: Policy): string =>
  `"${name}";q=${limit};w=${windowMs / 1000}`;

/** Whole seconds, after which it is so for certain. */
const seconds = (ms: number): number => Math.floor(ms / 1000) + 1;

/** Say how much is left. */
export function tell(
  res: HttpResponse,
  header: string,
  policies: readonly Policy[],
  decisions: readonly (Decision | undefined)[],
): void {
  let left = '';
  for (let index = 0; index < policies.length; index += 1) {
    const decision = decisions[index];
    if (!decision) continue;
    const { remaining, waitMs } = decision;
    left += `${left === '' ? '' : ', '}"${policies[index]?.name}";r=${remaining};t=${seconds(waitMs)}`;
  }
  if (left !== '') res.header('RateLimit-Policy', header).header('RateLimit', left);
}

export function tooMany(policy: Policy, { waitMs }: Decision): HttpProblem {
  const { limit, windowMs, name, count } = policy;
  const wait = seconds(waitMs);
  const what = count === 'failures' ? 'Too many requests that failed' : 'Too many requests';
  const message = `${what}: at most ${limit} in ${windowMs / 1000} s. Try again in ${wait} s`;
  return new HttpProblem(429, message, undefined, {
    'Retry-After': String(wait),
    'RateLimit-Policy': described(policy),
    RateLimit: `"${name}";r=0;t=${wait}`,
  });
}
