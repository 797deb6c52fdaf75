import type { OperationOf, Paths, ServerEvent } from '../../client/index.js';
import type { SocketOperationOf } from '../../client/internal.js';

/** The paths of the project that have sockets: `/ws/rooms/:room`. Inferred, so that the compiler prints them and not this name. */
type SocketPath = {
  [P in keyof Paths]: Paths[P] extends { readonly ws: unknown } ? P : never;
}[keyof Paths] extends infer Path extends string
  ? Path
  : never;

/** A path whose parameters are texts: `/ws/rooms/${string}`. */
type Filled<Path extends string> = Path extends `${infer First}/${infer Rest}`
  ? `${Segment<First>}/${Filled<Rest>}`
  : Segment<Path>;
type Segment<Text extends string> = Text extends `:${string}` | `*${string}` ? string : Text;

/** The path of the project behind the path of a request, its query left out: one without parameters first. */
type PatternOf<Path extends string, All> =
  WithoutQuery<Path> extends infer Asked
    ? Asked extends All
      ? Asked
      : { [P in All & string]: Asked extends Filled<P> ? P : never }[All & string]
    : never;
type WithoutQuery<Path extends string> = Path extends `${infer Asked}?${string}` ? Asked : Path;

/** `Path`, where it may lead to a socket of the project; else the paths that do. Where none is known, any. */
export type AskedSocket<Path extends string> = [SocketPath] extends [never]
  ? Path
  : string extends Path
    ? Path
    : [PatternOf<Path, SocketPath>] extends [never]
      ? SocketPath
      : Path;

type SocketAt<Path extends string> = string extends Path
  ? never
  : PatternOf<Path, SocketPath> extends infer P extends SocketPath
    ? Paths[P] extends { readonly ws: infer E }
      ? SocketOperationOf<E, P>
      : never
    : never;

/** What a test may send to the socket at a path. */
export type SentTo<Path extends string> = [SocketAt<Path>] extends [never]
  ? unknown
  : [SocketAt<Path>['sent']] extends [never]
    ? unknown
    : SocketAt<Path>['sent'];

/** What the socket at a path sends. */
export type ReceivedFrom<Path extends string> = [SocketAt<Path>] extends [never]
  ? unknown
  : SocketAt<Path>['received'];

/** The paths of the project that answer GET. */
type GetPath = { [P in keyof Paths]: Paths[P] extends { readonly get: unknown } ? P : never }[keyof Paths] &
  string;

/** One event of the stream at a path. */
export type EventsAt<Path extends string> = string extends Path
  ? ServerEvent<unknown>
  : PatternOf<Path, GetPath> extends infer P extends GetPath
    ? [P] extends [never]
      ? ServerEvent<unknown>
      : Paths[P] extends { readonly get: infer E }
        ? StreamOf<OperationOf<E, 'get', P>>
        : ServerEvent<unknown>
    : ServerEvent<unknown>;
type StreamOf<O> = O extends { readonly ok: { readonly stream: infer Events } }
  ? ServerEvent<Events>
  : ServerEvent<unknown>;
