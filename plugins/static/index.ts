import { statSync } from 'node:fs';
import { join } from 'node:path';
import { option } from '../../contributions/index.js';
import {
  BootError,
  definePlugin,
  messageOf,
  type OptionValues,
  type Plugin,
  type Project,
} from '../../kernel/index.js';
import { onDemand } from '../../loader/index.js';
import { addFallback, type Fallback, servesHttp } from '../http/index.js';
import { codesBodies } from '../http/internal.js';

export { file, type SentFile } from './file.js';
export type { FileOptions } from './send-file.js';

export const staticOptions = {
  /** How long clients cache a file without revalidation, in seconds; 0 in development. */
  maxAge: option.integer(0, { unit: 'seconds' }),
  /** Whether files never change: clients do not revalidate them within `maxAge`, even on a reload. */
  immutable: option.boolean(false),
};

type StaticSettings = OptionValues<typeof staticOptions>;

/** Serves the files in `public/` at `/`, for GET and HEAD requests that match no route. */
export function staticFiles(): Plugin {
  return definePlugin({
    name: 'static',
    needs: ['http'],
    guide: () => import('./guide.js'),
    options: staticOptions,
    doctor: () => import('./doctor.js'),
    apply(hooks, settings) {
      hooks.serve.tapPromise('static', async ({ runtime, project }) => {
        if (!servesHttp(runtime)) return;
        const directory = join(project.root, 'public');
        const development = project.mode === 'development';
        if (!development && !isDirectory(directory)) return;
        const answer = onDemand(() => load(directory, project, settings));
        let fallback = development ? undefined : await answer();
        addFallback(project, async (request, res) => {
          // A preflight and the list of methods are answered for the whole server.
          if (request.method === 'OPTIONS') return false;
          // In development the directory may be created later: each request looks for it, and the
          // first one loads the module that sends files.
          if (fallback === undefined && !isDirectory(directory)) return false;
          fallback ??= await answer();
          return fallback(request, res);
        });
      });
    },
  });
}

/** Loaded only if the project has such a directory. */
async function load(directory: string, project: Project, settings: StaticSettings): Promise<Fallback> {
  const [{ diskFinder, scannedFinder }, { createFallback, MAX_CACHED_FILE_BYTES, MAX_CODED_FILE_BYTES }] =
    await Promise.all([import('./files.js'), import('./serve.js')]);
  if (project.mode === 'development') return createFallback(directory, diskFinder(directory), undefined);
  const find = readable(() => scannedFinder(directory));
  const maxCachedBytes = codesBodies(project) ? MAX_CODED_FILE_BYTES : MAX_CACHED_FILE_BYTES;
  return createFallback(directory, find, { ...settings, maxCachedBytes });
}

const isDirectory = (path: string): boolean =>
  readable(() => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);

function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const message = `cannot be read: ${messageOf(cause)}. Give this user read permission, or remove it.`;
    throw new BootError({ file: 'public', message, code: 'FWK112' });
  }
}
