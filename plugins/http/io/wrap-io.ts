import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Project } from '../../../kernel/index.js';
import type { RouteMeta } from '../request/route-info.js';
import type { BodyHead, Io } from './io.js';

export type { BodyHead, Io };

/** Gives how responses of routes with that metadata are written, from how they would be; `{}` also where no route answers. */
export type WrapIo = (io: Io, meta: RouteMeta) => Io;

const wrapsOf = (project: Project): WrapIo[] => project.slot<WrapIo[]>('http.io', () => []);

/**
 * Have responses of `project` written in another way: compressed, say. `wrap` is called at boot, once per route that has metadata, and once for all others. Call this in a
 * `serve` tap of a stage before `Stage.finish`. What is written to `res.raw` does not pass it.
 */
export const wrapIo = (project: Project, wrap: WrapIo): void => void wrapsOf(project).push(wrap);

/** Whether responses of `project` may be written in another way than they are made. Known when it is served. */
export const codesBodies = (project: Project): boolean => wrapsOf(project).length > 0;

/** Bytes that are sent again and again. */
const stable = new WeakSet<Uint8Array>();

/** Say that `bytes` will be sent again and never change: what is made of them, compressed bytes say, may be kept with them. */
export const markStable = (bytes: Uint8Array): void => void stable.add(bytes);

/** Whether `markStable` was called with these bytes. */
export const isStable = (bytes: Uint8Array): boolean => stable.has(bytes);

/** How responses of a route with that metadata are written. */
export const ioFor = (project: Project, io: Io, meta: RouteMeta): Io =>
  wrapsOf(project).reduce((inner, wrap) => wrap(inner, meta), io);

/** Sees bodies as they come and go. */
export interface BodyObserver {
  /** A piece of the body of a request, and null after the last. Bodies that a handler streams are not seen. */
  readonly read: (raw: IncomingMessage, piece: Buffer | null) => void;
  /** The body of a response that was made as a whole. */
  readonly write: (out: ServerResponse, body: string | Uint8Array) => void;
}

const observersOf = (project: Project): BodyObserver[] =>
  project.slot<BodyObserver[]>('http.bodies', () => []);

/**
 * Have `observer` see the bodies of requests and responses of this version. It must not throw. Call this in a `serve` tap of a stage
 * before `Stage.finish`. Where nobody observes, nothing is called.
 */
export const observeBodies = (project: Project, observer: BodyObserver): void =>
  void observersOf(project).push(observer);

/** The same way to read and write, seen by those who observe. */
export function observedIo(project: Project, io: Io): Io {
  const observers = observersOf(project);
  if (observers.length === 0) return io;
  return {
    ...io,
    read: (raw, each) =>
      io.read(raw, (piece) => {
        for (const observer of observers) observer.read(raw, piece);
        each(piece);
      }),
    write: (out, ...response) => {
      for (const observer of observers) observer.write(out, response[3]);
      return io.write(out, ...response);
    },
  };
}
