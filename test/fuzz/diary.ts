import type { Readable } from 'node:stream';

/**
 * Expected log entries: errors that the project's routes throw, notices about clients that do not read, and questions
 * that a client answers with an error, or never.
 */
const EXPECTED =
  /on purpose|was cut off: its client left \d+ bytes unread|^The tool ask failed in [^\n]*: (?:Protocol|Sdk)Error: /;

/** The server's stderr: each entry except the expected ones is a complaint. */
export class Diary {
  /** The last of it. */
  text = '';
  #line = '';
  #entry: string[] = [];
  readonly #entries: string[] = [];

  constructor(stderr: Readable | null) {
    stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      this.text = (this.text + chunk).slice(-20_000);
      const lines = (this.#line + chunk).split('\n');
      this.#line = lines.pop() ?? '';
      for (const line of lines) this.#add(line);
    });
  }

  /**
   * The unexpected entries since the last call. An entry that may continue is returned by a later call, unless this is
   * the `last`.
   */
  take(last = false): string[] {
    if (last && this.#entry.length > 0) this.#close();
    return this.#entries.splice(0);
  }

  /** Stacks, properties and empty lines belong to the line before them. */
  #add(line: string): void {
    if (!/^(?:\s|[}\]]|$)/.test(line) && this.#entry.length > 0) this.#close();
    this.#entry.push(line);
  }

  #close(): void {
    const entry = this.#entry.join('\n').trimEnd();
    this.#entry = [];
    if (entry !== '' && !EXPECTED.test(entry)) this.#entries.push(entry);
  }
}
