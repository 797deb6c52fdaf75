import type { Endpoint } from '../graph/endpoints.js';
import { ANY, LOADS, TAIL } from '../graph/facts.js';
import type { Graph } from '../graph/graph.js';
import { isTestFile } from '../graph/modules.js';

/** The node that passes a change on to another node, and the state that carries the change. */
type Reason = { readonly by?: string | undefined; readonly through?: string | undefined };

/** Follows a change backward, from the changed nodes to all nodes that may behave differently. */
export class Spread {
  isEverything = false;
  /** True for nodes that may also write differently; false for nodes that only return something different. */
  readonly reached = new Map<string, boolean>();
  readonly #reasons = new Map<string, Reason>();
  readonly #states = new Set<string>();
  readonly #todo: string[] = [];

  constructor(
    private readonly graph: Graph,
    private readonly endpoints: readonly Endpoint[],
    seeds: readonly string[],
  ) {
    for (const id of seeds) {
      const { prints = [], cores = [] } = graph.units.get(id) ?? {};
      const isAnswer = prints[0] !== prints[1] && cores[0] === cores[1];
      this.#add(id, {}, !id.startsWith('view:') && !isAnswer);
    }
    do for (let id = this.#todo.pop(); id !== undefined; id = this.#todo.pop()) this.#spreadFrom(id);
    while (this.#spreadThroughLayers());
  }

  has = (id: string): boolean => this.reached.has(id);

  /** The nodes on the way to the changed node, and the last state on this way. */
  way(id: string): Reason & { readonly ids: readonly string[] } {
    const ids = new Set([id]);
    let data: Reason | undefined;
    for (const at of ids) {
      const reason = this.#reasons.get(at);
      if (reason?.through !== undefined) data ??= reason;
      if (reason?.by !== undefined) ids.add(reason.by);
    }
    return { ids: [...ids], ...data };
  }

  #add(id: string, reason: Reason, writes: boolean): void {
    const known = this.reached.get(id);
    if (known === true || known === writes) return;
    if (known === undefined) this.#reasons.set(id, reason);
    this.reached.set(id, writes);
    this.#todo.push(id);
  }

  #spreadFrom(id: string): void {
    const users = this.graph.from.get(id);
    const isLoose = users !== undefined && this.graph.isLoose(id);
    for (const [user, bits] of users ?? [])
      if (!(bits & LOADS)) this.#add(user, { by: id }, !(bits & TAIL) || isLoose);
    // Tests don't run while the app serves requests.
    if (!this.reached.get(id) || isTestFile(id)) return;
    for (const state of this.graph.writesOf(id)) this.#changeState(state, id);
  }

  /** A middleware decides whether the handler runs, and its code after `next()` depends on the handler. */
  #spreadThroughLayers(): boolean {
    for (const { before, file } of this.endpoints) {
      const layers = [...before, file].map((one) => this.graph.rootsOf(one));
      const by = layers.flat().find(this.has);
      // A middleware that only responds differently lets the same requests through.
      const deciding = layers.findIndex((roots) => roots.some((id) => this.reached.get(id)));
      for (const [at, roots] of by === undefined ? [] : layers.entries())
        for (const id of roots) {
          const isAround = at < before.length && this.graph.isAround(id);
          for (const state of (deciding !== -1 && at > deciding) || isAround ? this.graph.writesOf(id) : [])
            this.#changeState(state, by ?? '');
        }
    }
    return this.#todo.length > 0;
  }

  /** Only the readers of a state change. The service that holds the state isn't created again. */
  #changeState(state: string, by: string): void {
    if (this.#states.has(state)) return;
    this.#states.add(state);
    const { graph } = this;
    const reason = { by, through: state };
    this.isEverything ||= state === 'everything';
    for (const name of state.startsWith('env:') ? [state, `env:${ANY}`] : [state])
      for (const user of graph.from.get(name)?.keys() ?? []) this.#add(user, reason, true);
    const carried = { 'ctx:queues': 'queue', 'ctx:rooms': 'ws' }[state];
    for (const { kind, file } of this.endpoints)
      for (const id of kind === carried ? graph.rootsOf(file) : []) this.#add(id, reason, true);
    if (!graph.units.has(state) || this.has(state)) return;
    this.reached.set(state, false);
    this.#reasons.set(state, { by });
  }
}
