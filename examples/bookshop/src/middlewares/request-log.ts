import { middleware } from 'fwkit';

/** Logs one line per request when the response has been sent. */
export default middleware((req, res, ctx, next) => {
  const start = performance.now();
  res.raw.once('close', () => {
    const duration = (performance.now() - start).toFixed(1);
    ctx.logger.info(`${req.method} ${req.path} ${res.raw.statusCode} ${duration} ms`);
  });
  return next();
});
