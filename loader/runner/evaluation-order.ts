/** When a module is evaluated, among those that it was first imported with. */
export interface EvaluationOrder<Module> {
  /** For each import that comes before it, whose end it waits for. Imports that wait for it themselves are not there. */
  readonly before: ReadonlyMap<Module, Module>;
  /** The member of its cycle that was reached first: others wait for this one, and so for all of the cycle. */
  cycle: Module;
}

/** Has a place in the order: a module, which imports others. */
export interface Ordered<Module> {
  readonly imports: readonly Module[];
  /** Set by `orderEvaluation`. */
  order: EvaluationOrder<Module> | undefined;
}

/** Gives `root` and all it imports their `order`, which must be certain before the first of them waits (ECMA-262 §16.2.1.6.1.3). */
export function orderEvaluation<Module extends Ordered<Module>>(root: Module): void {
  const indices = new Map<Module, number>();
  const path = new Set<Module>();
  /** Those whose cycle is not known yet. */
  const open = new Set<Module>();

  const visit = (module: Module): number => {
    const index = indices.size;
    let lowest = index;
    const before = new Map<Module, Module>();
    module.order = { before, cycle: module };
    indices.set(module, index);
    path.add(module);
    open.add(module);
    for (const imported of module.imports) {
      if (!imported.order) lowest = Math.min(lowest, visit(imported));
      if (open.has(imported)) lowest = Math.min(lowest, indices.get(imported) ?? index);
      const last = open.has(imported) ? imported : imported.order?.cycle;
      if (last && !path.has(imported)) before.set(imported, last);
    }
    path.delete(module);
    if (lowest === index) {
      for (const member of [...open].slice([...open].indexOf(module))) {
        if (member.order) member.order.cycle = module;
        open.delete(member);
      }
    }
    return lowest;
  };
  visit(root);
}
