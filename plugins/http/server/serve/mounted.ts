import type { ServerResponse } from 'node:http';

/** Continues a request that finds no route, where the app is mounted in another server, by its response. */
export const nextOf = new WeakMap<ServerResponse, () => void>();
