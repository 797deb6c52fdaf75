import { createHmac } from 'node:crypto';
import * as assert from 'uvu/assert';
import type { Task } from '../task.js';

const SECRET = 'letmein';

export const webhook: Task = {
  ask: `A payment provider calls POST /api/payments with JSON, {"id": "…", "amount": 5}, and the header x-signature: sha256=<hex>, the HMAC-SHA256 of the
body exactly as it was sent, with ADMIN_TOKEN of the environment as key. A signature that is missing or wrong is 401, what is no payment 422. The first call with
an id answers 202 and {"accepted":true}, another one with the same id 200 and {"accepted":false}, also if several processes serve.`,
  solution: {
    'api/payments.post.ts': `import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { error, type HttpRequest, post } from 'fwkit';
import { z } from 'zod';

const Payment = z.object({ id: z.string().min(1), amount: z.number() });

function isSigned(body: Buffer, header = ''): boolean {
  const right = createHmac('sha256', process.env.ADMIN_TOKEN ?? '').update(body).digest();
  const given = Buffer.from(header.replace(/^sha256=/, ''), 'hex');
  return given.length === right.length && timingSafeEqual(given, right);
}

function read(body: Buffer): z.infer<typeof Payment> {
  try {
    return Payment.parse(JSON.parse(body.toString()));
  } catch {
    throw error(422, { message: 'Not a payment' });
  }
}

export default post(async (req: HttpRequest<never, Readable>, res, ctx) => {
  const body = await buffer(req.body);
  if (!isSigned(body, req.header('x-signature'))) throw error(401, { message: 'The signature is wrong' });
  const accepted = await ctx.payments.accept(read(body).id);
  res.status(accepted ? 202 : 200);
  return { accepted };
}).meta({ body: 'stream', bodyLimit: 65_536 });
`,
    'services/payments.ts': `import { service } from 'fwkit';

export default service((_ctx, { peers }) => {
  const seen = peers.memory('payments');
  return { accept: async (id: string): Promise<boolean> => seen.put(id, {}, 86_400, 'new') };
});
`,
  },
  async check({ ask }) {
    const signed = (body: string): string =>
      `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
    const call = async (body: string, signature: string | undefined = signed(body)) => {
      const headers = { 'content-type': 'application/json', 'x-signature': signature };
      return ask('/api/payments', { method: 'POST', headers, body });
    };
    // Not as JSON.stringify() writes it: who signs the value has another signature.
    const body = '{"id": "p-1",\n  "amount": 5.0}';
    for (const wrong of ['', 'sha256=', signed('{}'), signed(JSON.stringify(JSON.parse(body)))])
      assert.is((await call(body, wrong)).status, 401, wrong);
    assert.is((await call('{"id": 7}')).status, 422);
    const [first, again] = [await call(body), await call(body)];
    assert.equal([first.status, first.json], [202, { accepted: true }]);
    assert.equal([again.status, again.json], [200, { accepted: false }]);
  },
};
