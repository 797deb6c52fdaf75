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
  const importers = new Map<string, Module[]>();
  for (const module of modules)
    for (const file of importsOf(module)) {
      const known = importers.get(file);
      if (known) known.push(module);
      else importers.set(file, [module]);
    }
  const stale = new Set(
    modules.filter(
      (module) => !module.evaluated || differs(module) || (leads && leadsElsewhere(module, leads)),
    ),
  );
  // A set that grows while it is walked is walked to its end.
  for (const { source } of stale)
    for (const importer of importers.get(source.file) ?? []) stale.add(importer);
  return stale;
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
