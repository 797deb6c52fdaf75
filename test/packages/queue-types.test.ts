import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../harness/fwk.js';
import { compared, compilers, tsc } from '../harness/tsc.js';
import { shop } from './queue-project.js';

const right = {
  'fwk.config.ts': `import { createClient } from '@redis/client';
import { queues } from '@fwkit/queue';
import { defineConfig } from 'fwkit';
export default defineConfig({
  plugins: [queues({ connection: () => createClient({ url: 'redis://localhost' }) })],
  queues: { consume: false, lease: 1_000 },
});
`,
  'queues/mail.ts': `import { queue } from '@fwkit/queue';
interface Mail { readonly to: string; readonly copies?: number }
export default queue({ attempts: 5, backoff: { type: 'fixed', delay: 1 }, concurrency: 2, crashes: 1 }, async (data: Mail, ctx, job) => {
  const signal: AbortSignal = job.signal;
  await ctx.queues.tick.add();
  // Also to its own queue.
  if (data.to === '') job.fail('nobody');
  if (data.to === 'x') return job.retryIn(30);
  job.progress(1, 2);
  if (job.attempt > 1) await ctx.queues.mail.add({ to: data.to.trim() }, { id: job.id });
  signal.throwIfAborted();
});
`,
  'queues/tick.ts': `import { queue } from '@fwkit/queue';
export default queue((_: void, ctx) => ctx.queues.billingSendAll.add([1]));
`,
  'queues/billing/send-all.ts': `import { queue } from '@fwkit/queue';
export default queue((ids: number[]) => ids.length);
`,
  'queues/order.ts': `import { queue } from '@fwkit/queue';
import { z } from 'zod';
const Order = z.object({ id: z.string(), copies: z.number().default(1), at: z.string().transform((text) => new Date(text)) });
export default queue({ data: Order, attempts: 2 }, async (data, ctx) => {
  const [copies, at]: [number, Date] = [data.copies, data.at];
  await ctx.queues.order.add({ id: data.id, at: at.toISOString(), copies });
});
`,
  'queues/report.ts': `import { queue } from '@fwkit/queue';
import * as v from 'valibot';
export default queue({ data: v.optional(v.object({ day: v.string() })) }, (data) => data?.day);
`,
  'lib/right.ts': `import type { RuntimeCtx } from 'fwkit';
export const results = async (ctx: RuntimeCtx): Promise<[number, string | undefined, { to: string } | undefined]> => [
  await ctx.queues.billingSendAll.waitUntilFinished('1', { timeout: 5 }),
  (await ctx.queues.report.getJob('1'))?.result,
  (await ctx.queues.mail.getJob('1'))?.data,
];
export const right = (ctx: RuntimeCtx): Promise<string>[] => [ctx.queues.order.add({ id: 'a', at: '2026-01-01' }), ctx.queues.report.add()];
`,
  'services/outbox.ts': `import { service } from 'fwkit';
export default service((ctx) => ({ send: (to: string): Promise<string> => ctx.queues.mail.add({ to, copies: 1 }, { delay: 1, priority: 2 }) }));
`,
  'api/add.post.ts': `import { post } from 'fwkit';
export default post<never, { to: string }>((req, _res, ctx) => ctx.outbox.send(req.body.to));
`,
};

const wrong = {
  'lib/wrong.ts': `import type { RuntimeCtx } from 'fwkit';
export async function wrong(ctx: RuntimeCtx): Promise<void> {
  await ctx.queues.mail.add({ to: 7 }); //! TS2322
  await ctx.queues.mail.add({}); //! TS2345 TS2741
  await ctx.queues.mail.add(); //! TS2554 TS2555
  await ctx.queues.mail.add({ to: 'a', bcc: 'b' }); //! TS2353
  await ctx.queues.mail.add({ to: 'a' }, { delay: '1s' }); //! TS2322
  await ctx.queues.mail.add({ to: 'a' }, { dealy: 1 }); //! TS2353 TS2561
  await ctx.queues.male.add({ to: 'a' }); //! TS2339 TS2551
  await ctx.queues.billingSendAll.add(['a']); //! TS2322
  await ctx.queues.order.add({ id: 'a' }); //! TS2345 TS2741
  await ctx.queues.order.add({ id: 'a', at: new Date() }); //! TS2322
  await ctx.queues.report.add({ day: 1 }); //! TS2322
  const total: string = await ctx.queues.billingSendAll.waitUntilFinished('1'); //! TS2322
}
`,
  'lib/wrong-config.ts': `import { defineConfig } from 'fwkit';
export const config = defineConfig({ queues: { lease: '1s' } }); //! TS2322 TS2769
`,
  'lib/wrong-queue.ts': `import { queue } from '@fwkit/queue';
import { z } from 'zod';
export const a = queue({ attempt: 5 }, (data: string) => data); //! TS2769
export const b = queue({ backoff: { type: 'linear', delay: 1 } }, (data: string) => data); //! TS2769
export const c = queue(5); //! TS2345 TS2769
export const d = queue({ data: z.object({ to: z.string() }) }, (data) => data.form); //! TS2339 TS2551
export const f = queue({ failed: (job) => job.reason }, (data: string) => data); //! TS2339 TS2769
export const e = queue((data: string) => data, { attempts: 5 }); //! TS2769 TS2345
`,
};

const test = suite('types of @fwkit/queue');
const made = shop({ ...right, ...wrong }, 'ts');
test.before(async () => {
  made.remove('main.ts');
  made.remove('api/ok.get.ts');
  const { status, stderr } = await fwk(made, 'types');
  if (status !== 0) throw new Error(stderr);
});

for (const [version, compiler] of Object.entries(compilers))
  test(`a wrong job does not compile with TypeScript ${version}`, async () => {
    const diagnostics = await tsc(made, compiler(), { types: ['node'] });
    assert.equal(compared(made, diagnostics, wrong), { missing: [], surplus: [] });
  });

test.run();
