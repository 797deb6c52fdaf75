import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFileOf, readPackage } from '../package-json.js';
import { ModuleError, positionOfImport, readCode } from './module-error.js';

// Packages of the same repository are installed as sources: their exports may not be built, or be TypeScript.

const TYPESCRIPT = /\.[cm]?tsx?$/;

/** The error for a file that a package exports but that is not built; undefined if `missing` is something else. */
export function notBuilt(missing: string, importer: string): ModuleError | undefined {
  if (!path.isAbsolute(missing) || existsSync(missing)) return undefined;
  const manifest = packageFileOf(path.dirname(missing));
  if (manifest === undefined || manifest === packageFileOf(path.dirname(importer))) return undefined;
  const name = readPackage(path.dirname(manifest))?.name;
  if (typeof name !== 'string' || /[\\/]node_modules[\\/]/.test(realpathSync(manifest))) return undefined;
  const file = path.relative(path.dirname(manifest), missing).split(path.sep).join('/');
  const place = positionOfImport(readCode(importer) ?? '', name);
  return new ModuleError(
    'ERR_MODULE_NOT_FOUND',
    `There is no ${file} in the package ${name}, whose package.json names it`,
    importer,
    place,
  );
}

/** The error for TypeScript in another package, which production does not run. `importer`: the module that imports a missing file. */
export function notCompiled(error: Error, file: string, importer?: string): ModuleError | undefined {
  const source = importer ?? refusedSource(error);
  if (source === undefined || !TYPESCRIPT.test(source)) return undefined;
  const manifest = packageFileOf(path.dirname(source));
  if (manifest === undefined || manifest === packageFileOf(path.dirname(file))) return undefined;
  const name = readPackage(path.dirname(manifest))?.name ?? path.dirname(manifest);
  const message = `The package ${name} exports TypeScript, ${source}, which production does not run`;
  return new ModuleError('ERR_MODULE_NOT_FOUND', message, file);
}

const REFUSALS = new Set(['ERR_UNKNOWN_FILE_EXTENSION', 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING']);

function refusedSource(error: Error): string | undefined {
  if (!('code' in error && REFUSALS.has(String(error.code)))) return undefined;
  const [, named] = / for "?((?:file:\/\/|\/|[a-z]:\\).+?)"?$/im.exec(error.message) ?? [];
  return named?.startsWith('file:') ? fileURLToPath(named) : named;
}
