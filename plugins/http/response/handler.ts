import type { RuntimeCtx } from '../../../kernel/index.js';
import type { HttpRequest } from '../request/request.js';
import type { ParamsOf, RoutePath } from '../request/route-info.js';
import type { HttpResponse } from './response.js';

/** Answers requests. Its return value becomes the response. */
export type Handler<
  Path extends RoutePath = never,
  Body = unknown,
  Result = unknown,
  Params = ParamsOf<Path>,
> = (req: HttpRequest<Path, Body, Params>, res: HttpResponse, ctx: RuntimeCtx) => Result;
