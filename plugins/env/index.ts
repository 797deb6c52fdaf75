import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { moduleType } from '../../contributions/index.js';
import {
  definePlugin,
  type Entry,
  type Generation,
  isObject,
  type Plugin,
  type Project,
  Stage,
} from '../../kernel/index.js';
import { provide } from '../context/index.js';
import { variablesIn } from './env.js';

export { allowInvalidValues, env, secret } from './env.js';

const KIND = 'env';

const entryOf = (project: Project): Entry | undefined => project.files(KIND)[0];

/** `ctx.env`: the checked environment variables that `env.ts` exports. */
export function environment(): Plugin {
  return definePlugin({
    name: 'env',
    guide: () => import('./guide.js'),
    doctor: () => import('./doctor.js'),
    provides: (project) => {
      const entry = entryOf(project);
      return { env: entry && `${moduleType(project, entry)}['default']` };
    },
    apply(hooks) {
      hooks.discover.tap('env', (claims) => claims.add(KIND, 'env.*'));

      hooks.resolve.tapPromise({ name: 'env', stage: Stage.connect }, async (routes, project) => {
        const entry = entryOf(project);
        if (!entry) return routes;
        const loaded = await project.load(entry);
        if (!loaded) return routes;
        // The checks may also be of another library.
        if (isObject(loaded.default)) provide(project, 'env', providerOf(loaded.default));
        else
          project.report(
            entry.file,
            'does not export its variables. Export default env(…), or rename the file.',
            'FWK218',
          );
        return routes;
      });

      hooks.generate.tapPromise('env', async (generation) => {
        if (generation.target === 'types') await writeExample(generation);
      });
    },
  });
}

/** One function for each value, because `ctx` keeps a value as long as its function is the same. */
function providerOf(value: object): () => object {
  const known = providers.get(value) ?? (() => value);
  providers.set(value, known);
  return known;
}

const providers = new WeakMap<object, () => object>();

/** Adds the variables that `.env.example` lacks. The file may have values and comments of the user. */
async function writeExample({ project, emit }: Generation): Promise<void> {
  const entry = entryOf(project);
  if (!entry) return;
  // If variables are missing, it throws an error that knows them.
  const loaded = await project.import(entry).then(
    (module) => module.default,
    (thrown: unknown) => thrown,
  );
  const path = join(project.root, EXAMPLE);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const missing = (variablesIn(loaded) ?? []).filter(
    ({ name }) => !new RegExp(`^[#\\s]*(?:export\\s+)?${name}\\s*=`, 'm').test(text),
  );
  if (missing.length === 0) return;
  emit({ path: EXAMPLE, contents: missing.map(({ name }) => `${name}=\n`).join(''), ifExists: 'lines' });
}

const EXAMPLE = '.env.example';
