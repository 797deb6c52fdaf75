// Sources have no type annotations, so that one text fits both layouts.

/** A module that imports `names` from fwkit. */
export function module(names: string, text: string): string {
  return `import { ${names} } from 'fwkit';\n${text}\n`;
}

/** A route module: `route('get', '() => 1')`. Further names follow the wrapper: `route('get, error', …)`. */
export function route(names: string, handler: string): string {
  const wrapper = names.split(',', 1)[0];
  return module(names, `export default ${wrapper}(${handler});`);
}

/** A route that answers with its place, the request's method and its parameters. */
export function tells(wrapper: string, at: string): string {
  return route(wrapper, `(req) => ({ at: '${at}', method: req.method, params: { ...req.params } })`);
}

/** The default export of a middleware that puts the status of a thrown HttpError into `x-seen`. */
export const MARKS_THROWN = `export default middleware(async (req, res, ctx, next) => {
      try {
        return await next();
      } catch (thrown) {
        if (isHttpError(thrown)) res.header('x-seen', String(thrown.status));
        throw thrown;
      }
    });`;
