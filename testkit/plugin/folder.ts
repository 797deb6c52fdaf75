import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { isObject, type ProjectPaths } from '../../kernel/index.js';

/** A project on disk, in a temporary directory whose imports resolve packages as in the package's own directory. */
export class ProjectFolder {
  readonly #base = realpathSync(mkdtempSync(join(tmpdir(), 'fwk-plugin-')));
  readonly paths: ProjectPaths;

  /** Write `files`, by path. `packageFolder` is in the package whose dependencies they import. */
  constructor(files: Readonly<Record<string, string>>, packageFolder: string) {
    const root = linkPackages(this.#base, resolve(packageFolder));
    this.paths = { root, source: root };
    this.write({ 'package.json': '{ "private": true, "type": "module" }\n', ...files });
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(this.path(name)), { recursive: true });
      writeFileSync(this.path(name), text);
    }
  }

  delete(name: string): void {
    rmSync(this.path(name), { force: true });
  }

  path(name: string): string {
    return join(this.paths.root, name);
  }

  /** The files in the directory, without packages: sizes and times by path. */
  list(): ReadonlyMap<string, string> {
    return new Map(
      filesIn(this.paths.root, '').map((name) => {
        const { size, mtimeMs } = statSync(this.path(name));
        return [name, `${size} ${mtimeMs}`];
      }),
    );
  }

  remove(): void {
    rmSync(this.#base, { recursive: true, force: true, maxRetries: 3 });
  }
}

function filesIn(root: string, folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (name === 'node_modules') return [];
    return entry.isDirectory() ? filesIn(root, name) : [name];
  });
}

/** Create a directory below `base` in which imports resolve as in `folder`: it links each `node_modules` above, and the package itself. */
function linkPackages(base: string, folder: string): string {
  let inner = base;
  for (const modules of packageFolders(folder)) {
    symlinkSync(modules, join(inner, 'node_modules'), 'junction');
    inner = join(inner, 'inner');
    mkdirSync(inner);
  }
  const own = ownPackage(folder);
  if (own) {
    const link = join(inner, 'node_modules', own.name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(own.folder, link, 'junction');
  }
  return inner;
}

/** Every `node_modules` that imports in `folder` are looked up in, outermost first. */
function packageFolders(folder: string): readonly string[] {
  const above = dirname(folder) === folder ? [] : packageFolders(dirname(folder));
  const modules = join(folder, 'node_modules');
  return existsSync(modules) ? [...above, modules] : above;
}

function ownPackage(folder: string): { readonly name: string; readonly folder: string } | undefined {
  const file = join(folder, 'package.json');
  const manifest: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  if (isObject(manifest) && typeof manifest.name === 'string') return { name: manifest.name, folder };
  return dirname(folder) === folder ? undefined : ownPackage(dirname(folder));
}
