import { isObject, isThenable, type Project, slotKey } from '../../kernel/index.js';
import {
  type Handler,
  type HttpRequest,
  type HttpResponse,
  type HttpRoute,
  isHttpError,
} from '../http/index.js';
import { isFormBody, projectOf } from '../http/internal.js';

/** `it.form` in templates: the old input by field, and one message for each invalid field. */
interface FormState {
  readonly values: Readonly<Record<string, unknown>>;
  readonly errors: Readonly<Record<string, string>>;
}

/** Without a prototype, because templates read fields whose names a client may choose. */
const fieldsOf = <T>(entries: Iterable<readonly [string, T]>): Readonly<Record<string, T>> =>
  Object.setPrototypeOf(Object.fromEntries(entries), null);

const NO_STATE: FormState = Object.freeze({ values: fieldsOf<unknown>([]), errors: fieldsOf<string>([]) });

const states = new WeakMap<HttpRequest, FormState>();

export const formStateOf = (req: HttpRequest): FormState => states.get(req) ?? NO_STATE;

const PAGES = slotKey<Map<string, Handler>>('views.form-pages');

/** The pages with forms, by path. */
export const formPagesOf = (project: Project): Map<string, Handler> => project.slot(PAGES, () => new Map());

/** Why `route` cannot have `.meta({ form })`: the end of a sentence; undefined if it can. */
export function formMistake(
  { method, path, meta }: HttpRoute,
  pages: Map<string, Handler>,
): string | undefined {
  const form: unknown = meta.form;
  if (form === undefined) return undefined;
  if (form !== true) return `has .meta({ form: ${JSON.stringify(form)} }). Make it true or leave it out.`;
  if (method === 'GET')
    return 'has .meta({ form: true }), which belongs to the route that receives the form.';
  if (!pages.has(path))
    return `has .meta({ form: true }), but no page to show again. Add a GET route for ${path} that returns view(…).`;
  return undefined;
}

/** Around the handler that receives a form: show the page again if the handler rejects the form with 422. */
export const withForm =
  ({ handler, path }: HttpRoute): Handler =>
  (req, res, ctx) => {
    const settle = (result: unknown): unknown => (isHttpError(result) ? fail(result) : result);
    const fail = (thrown: unknown): unknown => {
      // A script that sends JSON gets the error as JSON.
      const errors = isFormBody(req.raw) ? errorsIn(thrown) : undefined;
      const page = formPagesOf(projectOf(req)).get(path);
      if (!errors || !page) throw thrown;
      return showAgain(errors, page, req, res, ctx);
    };
    try {
      const result = handler(req, res, ctx);
      return isThenable(result) ? Promise.resolve(result).then(settle, fail) : settle(result);
    } catch (thrown) {
      return fail(thrown);
    }
  };

async function showAgain(
  errors: FormState['errors'],
  page: Handler,
  req: HttpRequest,
  res: HttpResponse,
  ctx: Parameters<Handler>[2],
): Promise<unknown> {
  const body = await req.readBody();
  // A page can't select files again.
  const values = Object.entries(isObject(body) ? body : {}).filter(([, value]) => !(value instanceof Blob));
  states.set(req, { values: fieldsOf(values), errors });
  res.status(422);
  return page(req, res, ctx);
}

/** The first message for each field of a 422 whose body has a list of `errors`. */
function errorsIn(thrown: unknown): FormState['errors'] | undefined {
  if (!isHttpError(thrown) || thrown.status !== 422 || !isObject(thrown.body)) return undefined;
  const { errors } = thrown.body as { readonly errors?: unknown };
  if (!Array.isArray(errors)) return undefined;
  const messages = errors.filter(isIssue).map(({ path, message }) => [path.join('.'), message] as const);
  return fieldsOf(messages.toReversed());
}

const isIssue = (value: unknown): value is { readonly path: readonly unknown[]; readonly message: string } =>
  isObject(value) && 'path' in value && Array.isArray(value.path) && 'message' in value;
