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
        if (generation.target === 'types') writeExample(generation);
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
function writeExample({ project, emit }: Generation): void {
  const entry = entryOf(project);
  if (!entry) return;
  const path = join(project.root, EXAMPLE);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const missing = variablesIn(readFileSync(join(project.source, entry.file), 'utf8')).filter(
    (name) => !new RegExp(`^[#\\s]*(?:export\\s+)?${name}\\s*=`, 'm').test(text),
  );
  if (missing.length === 0) return;
  emit({ path: EXAMPLE, contents: missing.map((name) => `${name}=\n`).join(''), ifExists: 'lines' });
}

/** The keys in capitals in the source text of `env.ts`, which is not imported to generate files. */
function variablesIn(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, '');
  return [...new Set(code.match(/(?<=[{,]\s*)[A-Z][A-Z0-9_]*(?=\s*:)/g))];
}

const EXAMPLE = '.env.example';
