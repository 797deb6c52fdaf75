import { error, type HttpRequest, isHttpError, type Part, post, view } from 'fwkit';
import type { Receipt } from '../lib/dropped.js';
import { homePage } from '../lib/home-page.js';

/** The form on the page, for browsers without JavaScript. Each file is streamed to the disk as it arrives. */
export default post(async (req: HttpRequest<never, AsyncIterable<Part>>, res, ctx) => {
  const receipts: Receipt[] = [];
  let message: string | undefined;
  try {
    for await (const part of req.body)
      if ('stream' in part && part.filename) receipts.push(await ctx.drop.add(part.stream, part.filename));
    if (receipts.length === 0) throw error(400, 'Choose a file first.');
  } catch (thrown) {
    if (!isHttpError(thrown)) throw thrown;
    res.status(thrown.status);
    message = thrown.message;
  }
  return view('home', { ...(await homePage(ctx)), receipts, message });
}).meta({ body: 'stream' });
