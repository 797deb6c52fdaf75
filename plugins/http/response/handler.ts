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

/** A result that is sent in its own way, such as a file. Mark it by `answers`. */
export interface Answer {
  /** Tells it from plain objects, of which nothing more is asked. */
  readonly [Symbol.toStringTag]: string;
  /** Looks for what is to be sent, before layers around the handler see the result. Rejects with a problem where there is none. */
  find(project: Project): Promise<void>;
  /** Send it. `find` may not have been called. */
  send(req: AnyRequest, res: HttpResponse, project: Project): Promise<void>;
}

/** What functions that make an answer return: it is sent in place of what a `response` declares, and not checked. Types only. */
export interface AnswerResult {
  /** Types only: there is no such property. */
  readonly '~answer': true;
}

/** The brand of results that are sent in their own way. */
export const answers = brand<Answer>('fwkit.answer');

/**
 * Runs in front of all else that a request meets: its body is not read, no layer has run. It sets headers, which the response
 * keeps unless a handler sets them itself, or answers and returns true. It does not wait: what it has to know, it knows by then.
 */
export type FrontHandler = (raw: IncomingMessage, res: HttpResponse) => boolean | undefined;

/** The fronts of a route, outermost first. */
export type Fronts = readonly FrontHandler[];
