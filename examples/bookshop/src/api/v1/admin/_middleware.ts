import { error, middleware } from 'fwkit';

declare module 'fwkit' {
  interface RouteMeta {
    /** The admin's action, written to the log. */
    readonly audit?: string;
  }
}

/** Guards every route below admin/. */
export default middleware(async (req, _res, ctx, next) => {
  const { member } = ctx;
  if (!member.admin) throw error(403, { message: 'Only admins may do this.' });
  const result = await next();
  const { audit } = req.route.meta;
  if (audit !== undefined) ctx.logger.info(`${member.name} ${audit}: ${req.method} ${req.path}`);
  return result;
});
