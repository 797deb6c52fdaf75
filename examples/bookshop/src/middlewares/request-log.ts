import { middleware } from 'fwkit';

/** One line per request, when its response is out. */
export default middleware((req, res, ctx, next) => {
  const start = performance.now();
  res.raw.once('close', () => {
    const duration = (performance.now() - start).toFixed(1);
    ctx.logger.info(`${req.method} ${req.path} ${res.raw.statusCode} ${duration} ms`);
  });
  return next();
});
