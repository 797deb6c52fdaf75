import type { ServerResponse } from 'node:http';
import type { Inspector, News } from '../inspector.js';

/** The most problems that a page is told of, and characters of each. */
const MAX_PROBLEMS = 5;
const MAX_CHARACTERS = 1_000;
/** Milliseconds after which a page whose connection was cut, by a restart say, tries again. */
const RETRY_MS = 2_000;

/** The pages of the app that are open: each is told why the last save is not served, and when one is again. */
export class NoticeStream implements News {
  readonly #inspector: Inspector;
  readonly #open = new Set<ServerResponse>();
  #told = '';
  #isClosed = false;

  constructor(inspector: Inspector) {
    this.#inspector = inspector;
    inspector.listen(this);
    inspector.runtime.onClose(() => {
      this.#isClosed = true;
      for (const out of this.#open) out.end();
    });
  }

  add(out: ServerResponse): void {
    // The connection is not used again: a shutdown would wait for it.
    out.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'same-origin',
      Connection: 'close',
    });
    // A shutdown would wait for one that comes while it has begun, too.
    if (this.#isClosed) return void out.end();
    this.#told = this.#text();
    out.write(`retry: ${RETRY_MS}\n\n${this.#told}`);
    this.#open.add(out);
    out.once('close', () => this.#open.delete(out));
  }

  request(): void {}

  state(): void {
    if (this.#open.size === 0) return;
    const text = this.#text();
    if (text === this.#told) return;
    this.#told = text;
    for (const out of this.#open) out.write(text);
  }

  #text(): string {
    const { problems, reloads } = this.#inspector;
    const told = {
      // A page that has hidden what it was told shows the same mistake of another save.
      at: problems.length > 0 ? reloads[0]?.at : undefined,
      problems: problems.slice(0, MAX_PROBLEMS).map(({ code, file, message }) => ({
        code,
        file,
        message: message.slice(0, MAX_CHARACTERS),
      })),
      more: Math.max(0, problems.length - MAX_PROBLEMS),
    };
    return `data: ${JSON.stringify(told)}\n\n`;
  }
}
