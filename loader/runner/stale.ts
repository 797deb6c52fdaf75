import { type Module, Package, type Target } from './module.js';

/** Where specifiers lead now. */
export type Leads = (specifier: string, importer: Module) => string | undefined;

/**
 * The modules that have to be evaluated again: those that did not end well, those for which `differs` holds, those whose
 * imports lead elsewhere by `leads`, and whatever imports one of them.
 */
export function staleModules(
  modules: readonly Module[],
  differs: (module: Module) => boolean,
  leads: Leads | undefined,
): ReadonlySet<Module> {
  const stale = new Set(
    modules.filter(
      (module) => !module.evaluated || differs(module) || (leads && leadsElsewhere(module, leads)),
    ),
  );
  // Most saves are of what nothing imports, such as a route.
  const files = new Set([...stale].map(({ source }) => source.file));
  if (!modules.some((module) => importsAny(module, files))) return stale;
  const importers = importersIn(modules);
  // A set that grows while it is walked is walked to its end.
  for (const { source } of stale)
    for (const importer of importers.get(source.file) ?? []) stale.add(importer);
  return stale;
}

/** The modules that import a file. */
function importersIn(modules: readonly Module[]): ReadonlyMap<string, readonly Module[]> {
  const importers = new Map<string, Module[]>();
  for (const module of modules)
    for (const file of importsOf(module)) {
      const known = importers.get(file);
      if (known) known.push(module);
      else importers.set(file, [module]);
    }
  return importers;
}

function importsAny({ targets, later }: Module, files: ReadonlySet<string>): boolean {
  for (const target of targets.values()) if (files.has(fileOf(target) ?? '')) return true;
  for (const file of later.values()) if (files.has(file ?? '')) return true;
  return false;
}

function* importsOf({ targets, later }: Module): Iterable<string> {
  for (const target of targets.values()) {
    const file = fileOf(target);
    if (file !== undefined) yield file;
  }
  for (const file of later.values()) if (file !== undefined) yield file;
}

function leadsElsewhere(module: Module, leads: Leads): boolean {
  for (const [specifier, target] of module.targets)
    if (leads(specifier, module) !== fileOf(target)) return true;
  for (const [specifier, file] of module.later) if (leads(specifier, module) !== file) return true;
  return false;
}

const fileOf = (target: Target): string | undefined =>
  target instanceof Package ? undefined : target.source.file;
