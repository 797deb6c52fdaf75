import { coded, type Project } from '../../kernel/index.js';
import type { AnyRequest, HttpResponse } from '../http/index.js';
import { type Answer, type AnswerResult, answers } from '../http/internal.js';
import type { FileOptions, FoundFile } from './send-file.js';

/** A file that a handler returns. */
export interface SentFile extends AnswerResult {
  /** Only a type, for the client, which receives bytes or text: the property does not exist at runtime. */
  readonly '~file'?: never;
}

/**
 * Return it from a handler to send the file at `path` below `root`, like static files in `public/`:
 * with validators, ranges and precompressed variants. Responds with 404 if the file does not exist.
 * `path` may come from a client: it cannot lead out of `root`, not even through a link, nor to a
 * hidden file. Throws TypeError for invalid options.
 */
export function file(path: string, options: FileOptions): SentFile {
  const mistake = mistakeIn(path, options);
  if (mistake !== undefined) throw coded('FWK416', `file() ${mistake}`);
  return answers.mark(new FileAnswer(path, options));
}

class FileAnswer implements SentFile, Answer {
  declare readonly '~file'?: never;
  declare readonly '~answer': true;
  readonly [Symbol.toStringTag] = 'File of a handler';
  readonly #path: string;
  readonly #options: FileOptions;
  #found: FoundFile | undefined;

  constructor(path: string, options: FileOptions) {
    this.#path = path;
    this.#options = options;
  }

  async find(project: Project): Promise<void> {
    const { findFile } = await import('./send-file.js');
    this.#found = findFile(this.#path, this.#options, project);
  }

  async send(req: AnyRequest, res: HttpResponse, project: Project): Promise<void> {
    if (!this.#found) await this.find(project);
    await this.#found?.(req.raw, res);
  }
}

const KNOWN = ['root', 'download', 'maxAge', 'type'];

function mistakeIn(
  path: unknown,
  options: Partial<Record<keyof FileOptions, unknown>> = {},
): string | undefined {
  const { root, download, maxAge, type } = options;
  const unknown = Object.keys(options).find((key) => !KNOWN.includes(key));
  if (typeof path !== 'string') return `takes the path of a file below root, not ${String(path)}`;
  if (typeof root !== 'string' || root === '')
    return "needs the directory that contains the file: file(path, { root: 'files' })";
  if (unknown !== undefined) return `has no option "${unknown}". The options are ${KNOWN.join(', ')}`;
  if (
    download !== undefined &&
    typeof download !== 'boolean' &&
    (typeof download !== 'string' || download === '')
  )
    return 'takes true, false or a name as download';
  if (maxAge !== undefined && !(Number.isSafeInteger(maxAge) && Number(maxAge) >= 0))
    return `takes a whole number of seconds as maxAge, not ${String(maxAge)}`;
  if (type !== undefined && (typeof type !== 'string' || type === ''))
    return `takes a media type, such as "text/plain", as type, not ${String(type)}`;
  return undefined;
}
