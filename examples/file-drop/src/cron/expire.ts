import { job } from '@fwkit/cron';

/** Removes expired files. Until then they are not served either. */
export default job('*/5 * * * *', async (ctx, { at }) => {
  const removed = await ctx.drop.sweep(at.getTime());
  if (removed > 0) ctx.logger.info(`${removed} files were over and are gone`);
  return removed;
});
