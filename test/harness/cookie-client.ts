import { type Answer, request, type Sent } from './http.js';

/** A browser's cookies, as far as tests of sessions need them: the last one set is sent. */
export class Visitor {
  readonly #url: string;
  /** `name=value`, as in the Cookie header; undefined without a cookie. */
  cookie: string | undefined;

  constructor(url: string, cookie?: string) {
    this.#url = url;
    this.cookie = cookie;
  }

  async visit(path: string, sent: Sent = {}): Promise<Answer> {
    const headers = { ...sent.headers, ...(this.cookie ? { cookie: this.cookie } : {}) };
    const answer = await request(this.#url, path, { ...sent, headers });
    const set = answer.headers['set-cookie']?.at(-1);
    if (set !== undefined) this.cookie = /; Max-Age=0;/.test(set) ? undefined : set.split(';', 1)[0];
    return answer;
  }

  async post(path: string): Promise<Answer> {
    return this.visit(path, { method: 'POST' });
  }

  async json(path: string): Promise<unknown> {
    return (await this.visit(path)).json;
  }
}
