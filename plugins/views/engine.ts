import type { ProblemCode } from '../../kernel/index.js';

/** Options of an engine, beside the directory of the templates. */
export interface EngineOptions {
  /** The extension of templates, without its dot: `eta`. */
  readonly extension: string;
  /** Whether templates may be kept once they were read. False in development: a changed one shows at the next request. */
  readonly cache: boolean;
}

/**
 * Makes HTML of templates: `views: { engine, extension }` in the config. Called once, by the first view that is
 * rendered; `directory` is the absolute path of views/. The engine escapes values.
 */
export type ViewEngine = (directory: string, options: EngineOptions) => RenderView | Promise<RenderView>;

/** Renders `name`, a path below the directory with its extension: `mail/letter.eta`. That file exists. */
export type RenderView = (name: string, data: object) => string | Promise<string>;

/** A template that is missing, does not parse or throws. The message begins with its file, and line where it is known. */
export class ViewError extends Error {
  override readonly name = 'ViewError';
  readonly code: ProblemCode = 'FWK415';
}
