import { job } from '@fwkit/cron';

/** Removes what is over. Until it runs, such files are not given out any more either. */
export default job('*/5 * * * *', async (ctx, { at }) => {
  const removed = await ctx.drop.sweep(at.getTime());
  if (removed > 0) ctx.logger.info(`${removed} files were over and are gone`);
  return removed;
});
