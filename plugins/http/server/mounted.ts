import type { ServerResponse } from 'node:http';

/** What a request that finds no route goes on to, where the app is mounted in another server. */
export const nextOf = new WeakMap<ServerResponse, () => void>();
