import * as assert from 'uvu/assert';
import { type Dev, dev } from '../harness/fwk.js';
import type { Project } from '../harness/project.js';
import { copyOf } from './example.js';

/** The fields of answers that tests read; each answer has some of them. */
interface Body {
  readonly id: number;
  readonly title: string;
  readonly author: string;
  readonly slug: string;
  readonly name: string;
  readonly rating: number;
  readonly text: string;
  readonly by: string;
  readonly total: number;
  readonly books: readonly Pick<Body, 'title'>[];
  readonly reviews: readonly Pick<Body, 'text'>[];
  readonly message: string;
  readonly errors: readonly { readonly in: string; readonly path: readonly (string | number)[] }[];
}

/** The shop's response; an empty body counts as an empty object. */
export interface Told {
  readonly status: number;
  readonly body: Body;
  readonly headers: Headers;
}

/** A copy of the bookshop, served with its own database. */
export class Shop {
  readonly project: Project = copyOf('bookshop', ['libsql', 'zod']);
  #server: Dev | undefined;

  get server(): Dev {
    if (!this.#server) throw new Error('The shop is closed.');
    return this.#server;
  }

  async open(): Promise<void> {
    try {
      this.#server = await dev(this.project);
    } catch (error) {
      // uvu drops errors of a before hook.
      console.error(error);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#server?.stop();
  }

  /** Calls the API with the cookie `as`. A string is sent unchanged. */
  async call(
    method: string,
    path: string,
    { body, as = '' }: { body?: unknown; as?: string } = {},
  ): Promise<Told> {
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
    const init = { method, headers: { cookie: as, ...json }, ...sent };
    const { status, headers, ...answer } = await this.#read(`/api/v1${path}`, init);
    return { status, headers, body: JSON.parse(answer.text || '{}') };
  }

  get(path: string, as = ''): Promise<Told> {
    return this.call('GET', path, { as });
  }

  async page(path: string, as = ''): Promise<string> {
    return (await this.#read(path, { headers: { accept: 'text/html', cookie: as } })).text;
  }

  /** Logs in and gives the cookie to send. */
  async login(email: string, password: string): Promise<string> {
    const { status, body, headers } = await this.call('POST', '/login', { body: { email, password } });
    assert.equal([status, body], [204, {}]);
    return headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
  }

  ada = () => this.login('ada@example.com', 'analytical engine');
  bob = () => this.login('bob@example.com', 'builder of sheds');

  async #read(path: string, init: RequestInit) {
    const answer = await this.server.fetch(path, init);
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }
}
