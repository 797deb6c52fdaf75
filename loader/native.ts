import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Namespace } from '../kernel/index.js';
import { ModuleError, notFound, positionAt, readCode } from './errors/module-error.js';
import type { Loader } from './loader.js';
import { isTooManyOpenFiles } from './on-demand.js';
import { incompleteSpecifierMessage } from './runner/specifier-rules.js';

/** Imports compiled JavaScript with Node, which never unloads a module. */
export function nativeLoader(): Loader {
  const failures = new Map<string, number>();
  return loaderBy(async (file) => {
    const url = pathToFileURL(file);
    const failed = failures.get(file) ?? 0;
    // Node may cache failed reads, and caches errors that modules threw. Another URL makes it another module.
    if (failed > 0) url.search = `attempt=${failed + 1}`;
    try {
      return await import(url.href);
    } catch (error) {
      if (isTooManyOpenFiles(error)) failures.set(file, failed + 1);
      throw error;
    }
  });
}

interface Vitest {
  readonly vi: { importActual(file: string): Promise<Namespace> };
}

/** Imports the sources of a project like tests in vitest: its coverage includes them, and an app shares the modules of its test. */
export async function vitestLoader(root: string): Promise<Loader> {
  const { moduleUrl } = await import('./runner/resolve.js');
  const { vi }: Vitest = await import(moduleUrl('vitest', path.join(root, 'package.json')));
  return loaderBy((file) =>
    vi.importActual(file).catch((thrown: unknown) => {
      if (thrown instanceof Error || typeof Object(thrown).message !== 'string') throw thrown;
      // An error of vitest's own process arrives as a plain object with the error's members.
      throw Object.assign(new Error(Object(thrown).message), thrown);
    }),
  );
}

function loaderBy(importFile: (file: string) => Promise<Namespace>): Loader {
  // Neither loader exposes which import a module waits for: only the requested files are known.
  const evaluating = new Set<string>();
  return {
    evaluating,
    resolve: async (specifier, importer) =>
      (await import('./runner/resolve.js')).resolveByNode(specifier, importer),
    async import(file) {
      evaluating.add(file);
      try {
        return await importFile(file);
      } catch (error) {
        throw fromNative(error, file);
      } finally {
        evaluating.delete(file);
      }
    },
  };
}

/** The ModuleError for an error of Node's loader; other errors unchanged. `file`: the imported file, since Node may not name any. */
export function fromNative(error: unknown, file: string, prefix = ''): unknown {
  if (error instanceof SyntaxError) return fromPlace(error) ?? fromParser(error, file, prefix) ?? error;
  return error instanceof Error ? (fromMissing(error) ?? error) : error;
}

/** Node puts the place before the message: of an import of a missing name as a URL, of a CommonJS module that does not parse as a path. */
function fromPlace(error: SyntaxError): ModuleError | undefined {
  const [, where = '', line = 0, caret = ''] = /^(.+):(\d+)\n.*\n(.*)\n/.exec(error.stack ?? '') ?? [];
  const isUrl = where.startsWith('file:');
  if (!isUrl && !path.isAbsolute(where)) return undefined;
  const file = isUrl ? fileURLToPath(where) : where;
  const text = readCode(file) ?? '';
  const before = text.split('\n').slice(0, Number(line) - 1);
  // Several carets mark a word.
  const column = isUrl ? caret.length : caret.indexOf('^') + 1;
  const place = positionAt(text, [...before, ''].join('\n').length + column - 1);
  return new ModuleError(isUrl ? 'ERR_MODULE_EXPORT' : 'ERR_MODULE_SYNTAX', error.message, file, place);
}

/** A syntax error from the parser is thrown directly by Node's loader. */
function fromParser(error: SyntaxError, file: string, prefix: string): ModuleError | undefined {
  const isParsers = /^SyntaxError: .*\n {4}at .*\(node:internal\/modules\//.test(error.stack ?? '');
  return isParsers ? new ModuleError('ERR_MODULE_SYNTAX', prefix + error.message, file) : undefined;
}

function fromMissing(error: Error): ModuleError | undefined {
  const known =
    /^Cannot find (?:module|package) '(.+?)' imported from '?(.+?)'?$/m.exec(error.message) ??
    /^Directory import '(.+?)' is not supported resolving ES modules imported from (.+)$/m.exec(
      error.message,
    );
  const [, missing = '', importer = ''] = known ?? [];
  if (!known) return undefined;
  if (importer === fileURLToPath(import.meta.url))
    return new ModuleError('ERR_MODULE_NOT_FOUND', error.message, missing);
  const relative = path.relative(path.dirname(importer), missing);
  const specifier = !path.isAbsolute(missing)
    ? missing
    : relative.startsWith('.')
      ? relative
      : `./${relative}`;
  const rest = ['.js', '.mjs', '/index.js'].find((end) => existsSync(missing + end));
  const message =
    rest === undefined ? error.message : incompleteSpecifierMessage(specifier, specifier + rest);
  return notFound(specifier, { file: importer, text: readCode(importer) ?? '' }, message);
}
