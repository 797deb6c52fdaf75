import type { IncomingMessage, ServerResponse } from 'node:http';
import { discardLater } from '../../body/discard-rest.js';
import { sendContinue } from '../../body/expect-continue.js';
import { type Names, strangerTo } from './dev-hosts.js';

/**
 * Answers a request that is for the development server itself; false leaves it to the project. `strange` says why the one who
 * asks may not, if so: a sentence without its full stop. Who reads the body calls `body.begin` before, and who answers without
 * having read it `body.discard`: a client that sends all of it before it reads would get no answer.
 */
export type FirstAnswer = (
  raw: IncomingMessage,
  out: ServerResponse,
  strange: () => string | undefined,
  body: { readonly begin: () => void; readonly discard: () => void },
) => boolean;

/** `answer` as a listener that says whether it answers. `names`: those by which the server may be asked. */
export const firstListener =
  (answer: FirstAnswer, names: () => Names) =>
  (raw: IncomingMessage, out: ServerResponse): boolean =>
    answer(raw, out, () => strangerTo(names(), raw), {
      begin: () => sendContinue(out),
      discard() {
        out.shouldKeepAlive = false;
        discardLater(raw, out);
      },
    });
