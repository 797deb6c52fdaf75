import type { ServerResponse } from 'node:http';
import type { Inspector, News } from '../inspector.js';
import { OpenStreams } from '../open-streams.js';

/** Pages that may be open. */
const MAX_PAGES = 100;
/** The most problems that a page is told of, and characters of each. */
const MAX_PROBLEMS = 5;
const MAX_CHARACTERS = 1_000;
/** Milliseconds after which a page whose connection was cut, by a restart say, tries again. */
const RETRY_MS = 2_000;

/** The pages of the app that are open: each is told why the last save is not served, and when one is again. */
export class NoticeStream implements News {
  readonly #inspector: Inspector;
  readonly #open: OpenStreams;
  #told = '';

  constructor(inspector: Inspector) {
    this.#inspector = inspector;
    inspector.listen(this);
    this.#open = new OpenStreams(MAX_PAGES, inspector.runtime);
  }

  add(out: ServerResponse): void {
    this.#told = this.#text();
    this.#open.add(out, `retry: ${RETRY_MS}\n\n${this.#told}`);
  }

  request(): void {}

  state(): void {
    if (this.#open.isEmpty) return;
    const text = this.#text();
    if (text === this.#told) return;
    this.#told = text;
    this.#open.tell(text);
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
