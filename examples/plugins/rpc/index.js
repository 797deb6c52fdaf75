import { isHttpError } from 'fwkit';
import { HttpProblem, httpRoutes } from 'fwkit/http';
import { brand, definePlugin, moduleType, provide, Stage, scopesOf, slotKey } from 'fwkit/plugin';

/** @import { RuntimeCtx } from 'fwkit' */
/** @import { Convention } from 'fwkit/http' */
/** @import { Entry, Plugin, Project } from 'fwkit/plugin' */
/** @import { Procedure } from './index.js' */

/** @type {import('fwkit/plugin').Brand<Procedure<unknown>>} */
const procedures = brand('fwk-rpc.procedure');

// Its overloads are in index.d.ts.
export function procedure(...given) {
  const [schema, run] = given.length > 1 ? given : [undefined, ...given];
  if (typeof run !== 'function') throw new TypeError('procedure() takes a function (input, ctx) to run');
  const validate = schema?.['~standard']?.validate;
  if (given.length > 1 && !validate)
    throw new TypeError('procedure() takes a Standard Schema before its function');
  const call = async (input, ctx) => run(validate ? await checked(validate, input) : input, ctx);
  /** @type {import('fwkit').Handler} */
  const handler = async (req, res, ctx) => {
    // Pages of other sites may send text and forms without a CORS preflight, but not JSON.
    if (!/^application\/(\S+\+)?json\b/i.test(req.header('content-type') ?? ''))
      throw new HttpProblem(415, 'Send the input as JSON, with Content-Type: application/json');
    try {
      const output = await call(req.body, ctx);
      return output === null ? res.json(null) : output;
    } catch (thrown) {
      if (!isHttpError(thrown) || thrown instanceof HttpProblem) throw thrown;
      throw new HttpProblem(thrown.status, thrown.message);
    }
  };
  const made = procedures.mark({ method: /** @type {const} */ ('POST'), metadata: {}, handler, call });
  return Object.freeze(made);
}

async function checked(validate, input) {
  const { issues, value } = await validate(input);
  if (!issues) return value;
  const entryOf = ({ message, path = [] }) => ({ path: path.map((key) => key.key ?? key), message });
  throw new HttpProblem(422, 'The input does not match the schema of the procedure', issues.map(entryOf));
}

/** `rpc/(staff)/users/find.ts` is called `users/find`, as in its URL. */
const nameOf = (/** @type {string} */ file) => file.replace(/^rpc\/|\([^()/]+\)\/|(\/index)?\.m?[jt]s$/g, '');

/** @type {import('fwkit/plugin').SlotKey<ReturnType<typeof newShared>>} */
const SHARED = slotKey('rpc');

/**
 * Shared by the versions of an app: `ctx.rpc` stays the same function and calls the procedures of the current version.
 */
const sharedOf = (/** @type {Project} */ project) => project.inherit(SHARED, newShared);

/** @returns {{ project: Project | undefined, make: () => unknown }} */
function newShared() {
  const call = (name, input, ctx) => callIn(shared.project, name, input, ctx);
  const shared = { project: undefined, make: () => call };
  return shared;
}

async function callIn(/** @type {Project | undefined} */ project, name, input, ctx) {
  const entry = project?.files('rpc').find(({ file }) => nameOf(file) === name);
  if (!project || !entry) throw new Error(`ctx.rpc: there is no procedure "${name}"`);
  const { default: called } = await project.import(entry);
  if (!procedures.has(called)) throw new Error(`ctx.rpc: ${project.display(entry.file)} has no procedure`);
  if (ctx) return called.call(input, ctx);
  const scope = scopesOf(project).open(undefined);
  return called.call(input, scope.ctx).finally(() => scope.close());
}

/** @type {Convention} */
const convention = {
  suffixes: {},
  endpointOf: (exported) => (procedures.has(exported) ? exported : undefined),
  missing: 'has no default export. Export default procedure(async (input, ctx) => …).',
  unwrapped:
    'has a default export that is not a procedure. Export default procedure(async (input, ctx) => …).',
};

/** The plugin. */
export function rpc() {
  const routes = httpRoutes({ name: 'rpc', directory: 'rpc', mount: '/rpc', errors: 'json', convention });
  return definePlugin({
    ...routes,
    needs: ['http', 'context', 'json-response'],
    guide: () => import('./guide.js'),
    provides: (project) => {
      const types = project.files('rpc').map((entry) => {
        return `${JSON.stringify(nameOf(entry.file))}: ${moduleType(project, entry)}['default']`;
      });
      return types.length === 0 ? undefined : { rpc: `import('fwk-rpc').Call<{ ${types.join('; ')} }>` };
    },
    apply(hooks, options) {
      routes.apply(hooks, options);

      hooks.resolve.tapPromise({ name: 'rpc:ctx', stage: Stage.connect }, async (known, project) => {
        const files = project.files('rpc');
        for (const { file } of files.filter(({ file }) => file.includes('[')))
          project.report(
            file,
            'has a parameter in its path. A procedure has none: take it from the input.',
            'RPC-1',
          );
        const shared = sharedOf(project);
        shared.project ??= project;
        if (files.length > 0) provide(project, 'rpc', shared.make);
        return known;
      });

      hooks.serve.tapPromise('rpc', async ({ project, onStart }) => {
        const shared = sharedOf(project);
        onStart(() => {
          shared.project = project;
        });
      });
    },
  });
}
