import { job } from '@fwkit/cron';

/** Removes expired files. Expired files are not served, even before this job removes them. */
export default job('*/5 * * * *', async (ctx, { at }) => {
  const removed = await ctx.drop.sweep(at.getTime());
  if (removed > 0) ctx.logger.info(`${removed} expired files were removed`);
  return removed;
});
