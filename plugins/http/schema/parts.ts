import type { RoutePath } from '../request/route-info.js';

/** The schemas of an endpoint. Types only. */
export interface Parts<P = never, Q = never, H = never, B = never, R = never, E = never> {
  readonly params: P;
  readonly query: Q;
  readonly headers: H;
  readonly body: B;
  readonly response: R;
  readonly errors: E;
}

/** What a handler without schemas is annotated with. Types only. */
export interface Annotated<Path extends RoutePath, Body> {
  readonly path: Path;
  readonly body: Body;
}
