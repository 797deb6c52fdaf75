import type { IncomingMessage } from 'node:http';
import { brand } from '../../../contributions/index.js';
import type { Project } from '../../../kernel/index.js';
import type { RuntimeCtx } from '../../../scope/index.js';
import type { AnyRequest, HttpRequest } from '../request/request.js';
import type { ParamsOf, RoutePath } from '../request/route-info.js';
import type { HttpResponse } from './response.js';

/** Answers requests. Its return value becomes the response. */
export type Handler<
  Path extends RoutePath = never,
  Body = unknown,
  Result = unknown,
  Params = ParamsOf<Path>,
> = (req: HttpRequest<Path, Body, Params>, res: HttpResponse, ctx: RuntimeCtx) => Result;

/** A result with its own way of sending, such as a file. Mark it with `answers`. */
export interface Answer {
  /** Distinguishes it from plain objects, which skip the remaining checks. */
  readonly [Symbol.toStringTag]: string;
  /** Look up the content before layers around the handler see the result. Rejects with a problem if it doesn't exist. */
  find(project: Project): Promise<void>;
  /** Send the result. `find` may not have been called. */
  send(req: AnyRequest, res: HttpResponse, project: Project): Promise<void>;
}

/** A result that may be returned in place of the declared `response` and isn't checked. Types only. */
export interface AnswerResult {
  /** Types only: the property doesn't exist at run time. */
  readonly '~answer': true;
}

/** The brand of results with their own way of sending. */
export const answers = brand<Answer>('fwkit.answer');

/**
 * Runs before everything else for a request: no body has been read, no layer has run. It either sets headers, which the
 * response keeps unless a handler overrides them, or responds and returns true. It is synchronous, so it must already have
 * all data it needs.
 */
export type FrontHandler = (raw: IncomingMessage, res: HttpResponse) => boolean | undefined;

/** The front handlers of a route, outermost first. */
export type Fronts = readonly FrontHandler[];
