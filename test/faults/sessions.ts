import * as assert from 'node:assert/strict';
import type { Random } from '../fuzz/random.js';
import { type Client, Lost, Refused } from './client.js';

/** How long the app may be busy with a visit that was not answered, in milliseconds: its store is slow, and asked three times. */
const LATE_MS = 20_000;

/**
 * A visitor who counts its visits: each answer is the one that has to follow. One that was lost on its way may be counted later,
 * by what was known when it was sent: of a value that is written twice at a time, the last one stays.
 */
export class Visitor {
  readonly #name: string;
  #cookie: string | undefined;
  /** The visits that were answered, and how many more may have been counted. */
  #known = 0;
  #unsure = 0;
  #late: { readonly known: number; readonly until: number }[] = [];

  constructor(name: string) {
    this.#name = name;
  }

  /** `isClockSet`: whether sessions may have ended, because the clock was set meanwhile. */
  async visit(client: Client, random: Random, isClockSet: () => boolean): Promise<void> {
    const headers = { 'x-of': this.#name, ...(this.#cookie && { cookie: this.#cookie }) };
    const path = `/api/visits?visitor=${this.#name}`;
    const answer = await client
      .ask(path, random.chance(50), { method: 'POST', headers })
      .catch((cause: unknown) => {
        if (cause instanceof Lost || cause instanceof Refused) {
          this.#unsure += 1;
          this.#late.push({ known: this.#known, until: performance.now() + LATE_MS });
        }
        throw cause;
      });
    assert.equal(answer.status, 200);
    const { visitor, count } = JSON.parse(answer.body.toString());
    assert.equal(visitor, this.#name, 'the session is of somebody else');
    this.#late = this.#late.filter(({ until }) => until > performance.now());
    const least = Math.min(this.#known, ...this.#late.map(({ known }) => known)) + 1;
    const most = this.#known + 1 + this.#unsure;
    const isBegun = count === 1 && (this.#known === 0 || isClockSet());
    assert.ok(isBegun || (count >= least && count <= most), `visit ${count}, not ${least} to ${most}`);
    const set = answer.headers['set-cookie']?.[0]?.split(';')[0];
    if (set !== undefined) this.#cookie = set;
    // A session that is over when it is to be stored is not: it may be there again when the clock is set back.
    if (isClockSet())
      this.#late.push({ known: Math.min(this.#known, count - 1), until: performance.now() + LATE_MS });
    this.#known = count;
    this.#unsure = 0;
  }
}
