import type { Project } from '../../../kernel/index.js';
import { slotKey } from '../../../kernel/index.js';
import type { RouteMeta } from '../request/route-info.js';
import type { BodyHead, Io } from './io.js';

const WRAPS = slotKey<WrapIo[]>('http.io');

export type { BodyHead, Io };

/** Gives how responses of routes with that metadata are written, from how they would be; `{}` also where no route answers. */
export type WrapIo = (io: Io, meta: RouteMeta) => Io;

const wrapsOf = (project: Project): WrapIo[] => project.slot(WRAPS, () => []);

/**
 * Have bodies of `project` read, or responses written, in another way: compressed, say, or noted. `wrap` is called at boot, once
 * per route that has metadata, and once for all others. Those that are added first are innermost. Call this in a `serve` tap of a
 * stage before `Stage.finish`. What is written to `res.raw` does not pass it, nor does a body that a handler streams.
 */
export const wrapIo = (project: Project, wrap: WrapIo): void => void wrapsOf(project).push(wrap);

export const codesBodies = (project: Project): boolean => wrapsOf(project).length > 0;

/** Bytes that are sent again and again. */
const stable = new WeakSet<Uint8Array>();

/** Say that `bytes` will be sent again and never change: what is made of them, compressed bytes say, may be kept with them. */
export const markStable = (bytes: Uint8Array): void => void stable.add(bytes);

export const isStable = (bytes: Uint8Array): boolean => stable.has(bytes);

export const ioFor = (project: Project, io: Io, meta: RouteMeta): Io =>
  wrapsOf(project).reduce((inner, wrap) => wrap(inner, meta), io);
