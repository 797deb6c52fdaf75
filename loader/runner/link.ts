import { ModuleError, positionOfImport } from '../errors/module-error.js';
import { Module, Package, type Target } from './module.js';

/** The location of a binding; without a name it is the whole namespace of its owner. */
interface ResolvedExport {
  readonly owner: Target;
  readonly name: string | undefined;
}

/** Checks that the names which `modules` import exist, then creates their namespaces. Evaluates nothing. */
export async function link(modules: Iterable<Module>): Promise<void> {
  const unlinked = childrenFirst([...modules].filter((module) => !module.linked));
  for (const module of unlinked) {
    for (const { specifier, names } of module.source.shape.imports) {
      const target = module.targets.get(specifier);
      for (const name of names) {
        const resolved = find(target, name);
        if (resolved === CONFLICT) throw conflict(module, specifier, name);
        if (!resolved) throw module.missing(specifier, name);
      }
    }
  }
  for (const module of unlinked) fillNamespace(module);
  await Promise.all(unlinked.map((module) => module.enter()));
}

/** Modules after their imports, in the order in which they are linked (ECMA-262 §16.2.1.6.1.1): a re-export without a name is reported, not its importer. */
function childrenFirst(modules: readonly Module[]): Module[] {
  const open = new Set(modules);
  const sorted: Module[] = [];
  const visit = (module: Module): void => {
    if (!open.delete(module)) return;
    for (const imported of module.imports) visit(imported);
    sorted.push(module);
  };
  for (const module of modules) visit(module);
  return sorted;
}

/** Two modules behind `export *` export the name with different bindings. */
const CONFLICT = Symbol('conflict');

function conflict({ source: { file, text } }: Module, specifier: string, name: string): ModuleError {
  const message = `The requested module '${specifier}' contains conflicting star exports for name '${name}'`;
  return new ModuleError('ERR_MODULE_EXPORT', message, file, positionOfImport(text, specifier, name));
}

/** The module and name behind an export, found through re-exports and `export *`; undefined if it does not exist. */
function find(
  target: Target | undefined,
  name: string,
  path = new Set<string>(),
): ResolvedExport | typeof CONFLICT | undefined {
  if (target === undefined) return undefined;
  if (target instanceof Package)
    return target.namespace && !(name in target.namespace) ? undefined : { owner: target, name };
  const step = `${target.source.file}|${name}`;
  if (path.has(step)) return undefined;
  path.add(step);
  const { exports, stars } = target.source.shape;
  if (exports.has(name)) {
    const binding = exports.get(name);
    if (!binding) return { owner: target, name };
    const owner = target.targets.get(binding.specifier);
    if (binding.name !== undefined) return find(owner, binding.name, path);
    return owner && { owner, name: undefined };
  }
  const found =
    name === 'default' ? [] : stars.flatMap((star) => find(target.targets.get(star), name, path) ?? []);
  return found.every((resolved) => same(resolved, found[0])) ? found[0] : CONFLICT;
}

function same(a: ResolvedExport | typeof CONFLICT, b: ResolvedExport | typeof CONFLICT | undefined): boolean {
  if (a === CONFLICT || b === CONFLICT) return a === b;
  const samePackage =
    a.owner instanceof Package && b?.owner instanceof Package && a.owner.specifier === b.owner.specifier;
  return a.name === b?.name && (a.owner === b?.owner || samePackage);
}

function namesOf(target: Target | undefined, seen = new Set<Target>()): string[] {
  if (target === undefined || seen.has(target)) return [];
  seen.add(target);
  if (target instanceof Package) return Object.keys(target.namespace ?? {});
  const { exports, stars } = target.source.shape;
  const starred = stars.flatMap((star) => namesOf(target.targets.get(star), seen));
  return [...exports.keys(), ...starred.filter((name) => name !== 'default')];
}

function fillNamespace(module: Module): void {
  for (const name of [...new Set(namesOf(module))].sort()) {
    const resolved = find(module, name);
    if (resolved && resolved !== CONFLICT)
      Object.defineProperty(module.namespace, name, { enumerable: true, get: getterOf(resolved) });
  }
  Object.preventExtensions(module.namespace);
}

function getterOf({ owner, name }: ResolvedExport): () => unknown {
  if (name === undefined) return () => owner.namespace;
  const own = owner instanceof Module ? Object.getOwnPropertyDescriptor(owner.exports, name)?.get : undefined;
  return own ?? (() => owner.namespace?.[name]);
}
