import type { HttpRequest, HttpResponse, RoutePath } from '../plugins/http/index.js';

// The words that the framework was first described with. Everything else says HttpRequest and HttpResponse.

/** An `HttpRequest`. */
export type CloveRequest<Path extends RoutePath = never, Body = unknown> = HttpRequest<Path, Body>;

/** An `HttpResponse`. */
export type CloveResponse = HttpResponse;
