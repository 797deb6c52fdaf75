import type { Project } from '../../../kernel/index.js';
import type { RouteMeta } from '../request/route-info.js';
import type { BodyHead, Io } from './io.js';

export type { BodyHead, Io };

/** Gives how responses of a route with that metadata are written, from how they would be; `{}` where no route answers. */
export type WrapIo = (io: Io, meta: RouteMeta) => Io;

const wrapsOf = (project: Project): WrapIo[] => project.slot<WrapIo[]>('http.io', () => []);

/**
 * Have responses of `project` written in another way: compressed, say. `wrap` is called at boot, once per route. Call this in a
 * `serve` tap of a stage before `Stage.finish`. What is written to `res.raw` does not pass it.
 */
export const wrapIo = (project: Project, wrap: WrapIo): void => void wrapsOf(project).push(wrap);

/** Whether responses of `project` may be written in another way than they are made. Known when it is served. */
export const codesBodies = (project: Project): boolean => wrapsOf(project).length > 0;

/** Bytes that are sent again and again. */
const stable = new WeakSet<Uint8Array>();

/** Say that `bytes` will be sent again and never change: what is made of them, compressed bytes say, may be kept with them. */
export const markStable = (bytes: Uint8Array): void => void stable.add(bytes);

export const isStable = (bytes: Uint8Array): boolean => stable.has(bytes);

/** How responses of a route with that metadata are written. */
export const ioFor = (project: Project, io: Io, meta: RouteMeta): Io =>
  wrapsOf(project).reduce((inner, wrap) => wrap(inner, meta), io);
