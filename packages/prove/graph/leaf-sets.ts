import type { Unit } from './facts.js';
import type { Leaves } from './linkable.js';
import type { Destination } from './linker.js';

/** Whether a unit takes anything from outside by itself, but by imports. */
export const hasLeaves = ({ env, net, views, builtins }: Unit): boolean =>
  env.size + net.size + views.size + builtins.size > 0;

/** The leaves of some units, put together. */
export class LeafSets implements Leaves {
  readonly env = new Set<string>();
  readonly packages = new Set<string>();
  readonly builtins = new Set<string>();
  readonly net = new Set<string>();
  readonly views = new Set<string>();
  readonly blind: Leaves['blind'][number][] = [];

  /** What a unit says itself. */
  add(unit: Unit): void {
    for (const one of unit.env) this.env.add(one);
    for (const one of unit.net) this.net.add(one);
    for (const one of unit.views) this.views.add(one);
    for (const one of unit.builtins) this.builtins.add(one);
  }

  /** An import that leads out of the project. */
  leave(to: Destination): void {
    if (to.kind === 'builtin') this.builtins.add(to.name);
    else if (to.kind === 'package') this.packages.add(to.name);
  }
}
