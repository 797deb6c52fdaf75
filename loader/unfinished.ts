import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { loadBuildPackage } from './build-package.js';
import { isProjectFile, moduleUrl } from './runner/resolve.js';
import { createEmit, type Emit } from './runner/transform.js';

/**
 * The modules that wait in a top-level `await` of their own, among `files`, which Node was asked to import, and their imports.
 * Node does not expose module state. Importing a finished module again resolves at once, so what does not resolve is still
 * waiting. Returns `files` themselves where nothing is known.
 */
export async function unfinished(files: readonly string[]): Promise<readonly string[]> {
  try {
    const emit = createEmit(await loadBuildPackage(dirname(files[0] ?? '')), {});
    const waiting = new Map<string, readonly string[]>();
    for (const file of files) await visit(file, emit, waiting);
    const own = [...waiting].filter(([, imported]) => !imported.some((one) => waiting.has(one)));
    return own.length > 0 ? own.map(([file]) => file) : files;
  } catch {
    return files;
  }
}

/** Adds `file` and all below it that is not done to `waiting`, with what each imports. */
async function visit(file: string, emit: Emit, waiting: Map<string, readonly string[]>): Promise<void> {
  if (waiting.has(file) || (await isDone(file))) return;
  const imported = importsOf(file, emit);
  waiting.set(file, imported);
  for (const one of imported) await visit(one, emit, waiting);
}

/** Turns of the event loop after which settled promises have been reported. */
const TURNS_OF_EVENT_LOOP = 3;

async function isDone(file: string): Promise<boolean> {
  let done = false;
  const end = () => {
    done = true;
  };
  void import(pathToFileURL(file).href).then(end, end);
  for (let turn = 0; turn < TURNS_OF_EVENT_LOOP && !done; turn += 1) await new Promise(setImmediate);
  return done;
}

/** The files of the project that a module imports before it begins: what it imports later must not be imported now. */
function importsOf(file: string, emit: Emit): readonly string[] {
  const { code } = emit(file, readFileSync(file, 'utf8'), false);
  const specifiers = [
    ...code.matchAll(/^const __vite_ssr_import_\d+__ = await __vite_ssr_import__\("(.+?)"/gm),
  ];
  return specifiers.flatMap(([, specifier = '']) => {
    const url = moduleUrl(specifier, file);
    return url.startsWith('file:') && isProjectFile(fileURLToPath(url)) ? [fileURLToPath(url)] : [];
  });
}
