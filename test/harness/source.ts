// Sources carry no type annotations, so that one text serves both layouts.

/** A module that imports `names` from fwkit. */
export function module(names: string, text: string): string {
  return `import { ${names} } from 'fwkit';\n${text}\n`;
}

/** A route module: `route('get', '() => 1')`. Names beside the wrapper come after it: `route('get, error', …)`. */
export function route(names: string, handler: string): string {
  const wrapper = names.split(',', 1)[0];
  return module(names, `export default ${wrapper}(${handler});`);
}

/** A route that tells where it is, what method came and its parameters. */
export function tells(wrapper: string, at: string): string {
  return route(wrapper, `(req) => ({ at: '${at}', method: req.method, params: { ...req.params } })`);
}

/** The default export of a middleware that puts the status of an HttpError which it sees thrown into `x-seen`. */
export const MARKS_THROWN = `export default middleware(async (req, res, ctx, next) => {
      try {
        return await next();
      } catch (thrown) {
        if (isHttpError(thrown)) res.header('x-seen', String(thrown.status));
        throw thrown;
      }
    });`;
