// Sources have no type annotations, so that one text fits both layouts.

/** A module that imports `names` from fwkit. */
export function module(names: string, text: string): string {
  return `import { ${names} } from 'fwkit';\n${text}\n`;
}

/** A route module that answers GET; `names` begins with another wrapper or adds imports: `route('get, error', …)`. */
export function route(
  ...given: readonly [handler: string] | readonly [names: string, handler: string]
): string {
  const [names, handler] = given.length === 1 ? ['get', given[0]] : given;
  return module(names, `export default ${names.split(',', 1)[0]}(${handler});`);
}

export const postRoute = (handler: string): string => route('post', handler);
export const sseRoute = (handler: string): string => route('sse', handler);
export const wsModule = (handler: string): string => route('ws', handler);
/** A route that answers with a text. */
export const textRoute = (text: string): string => route(`() => '${text}'`);
/** A route that answers with a value of `ctx`. */
export const reads = (key: string): string => route(`(req, res, ctx) => ctx.${key}`);

export const service = (value: string): string => route('service', value);
export const di = (lifetime: string, value: string): string =>
  route('di', `{ lifetime: '${lifetime}', value: ${value} }`);
export const middleware = (handler: string, names = 'middleware'): string =>
  module(names, `export default middleware(${handler});`);
/** The text of `fwk.config.ts`. */
export const configFile = (options: string): string => route('defineConfig', options);

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
