import type { Project } from '../../../kernel/index.js';
import { slotKey } from '../../../kernel/index.js';
import type { RouteMeta } from '../request/route-info.js';
import type { BodyHead, HttpIo } from './io.js';

const WRAPS = slotKey<WrapIo[]>('http.io');

export type { BodyHead, HttpIo };

/** Returns the I/O for the responses of routes with that metadata, given the inner I/O. `meta` is `{}` for requests without a route. */
export type WrapIo = (io: HttpIo, meta: RouteMeta) => HttpIo;

const wrapsOf = (project: Project): WrapIo[] => project.slot(WRAPS, () => []);

/**
 * Wrap how `project` reads bodies or writes responses, for example to compress or record them. `wrap` is called at boot, once
 * for each route that has metadata, and once for all others. The first wrapper added is innermost. Call this in a `serve` tap
 * of a stage before `Stage.finish`. Data written to `res.raw` and bodies that a handler streams bypass it.
 */
export const wrapIo = (project: Project, wrap: WrapIo): void => void wrapsOf(project).push(wrap);

export const codesBodies = (project: Project): boolean => wrapsOf(project).length > 0;

/** Bytes that are sent repeatedly. */
const stable = new WeakSet<Uint8Array>();

/** Declare that `bytes` never change and are sent repeatedly, so that derived data, such as compressed bytes, may be cached with them. */
export const markStable = (bytes: Uint8Array): void => void stable.add(bytes);

export const isStable = (bytes: Uint8Array): boolean => stable.has(bytes);

export const ioFor = (project: Project, io: HttpIo, meta: RouteMeta): HttpIo =>
  wrapsOf(project).reduce((inner, wrap) => wrap(inner, meta), io);
