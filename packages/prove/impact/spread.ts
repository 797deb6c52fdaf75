import type { Endpoint } from '../graph/endpoints.js';
import { ANY, INIT, TAIL } from '../graph/facts.js';
import type { Graph } from '../graph/graph.js';
import { isTestFile } from '../graph/modules.js';

/** Why a node is reached: by which node, and through which state. */
interface Reason {
  readonly by?: string | undefined;
  readonly through?: string | undefined;
}

/** Walks a change backward: from nodes that changed to everything that may answer differently. */
export class Spread {
  isEverything = false;
  /** True for nodes that may also write differently; false for nodes that only answer differently. */
  readonly reached = new Map<string, boolean>();
  readonly #reasons = new Map<string, Reason>();
  readonly #states = new Set<string>();
  readonly #ofRequests = new Set<string>();
  readonly #todo: string[] = [];

  constructor(
    private readonly graph: Graph,
    private readonly endpoints: readonly Endpoint[],
    seeds: readonly string[],
  ) {
    for (const id of seeds) {
      // A template only answers, and so does a unit if only its answer differs.
      const { prints = [], cores = [] } = graph.units.get(id) ?? {};
      const isAnswer = prints[0] !== prints[1] && cores[0] === cores[1];
      this.#add(id, {}, !id.startsWith('view:') && !isAnswer);
    }
    do for (let id = this.#todo.pop(); id !== undefined; id = this.#todo.pop()) this.#spreadFrom(id);
    while (this.#spreadThroughLayers());
  }

  has = (id: string): boolean => this.reached.has(id);

  /** The nodes from one that is reached to the one that changed, and the last state on the way. */
  way(id: string): Reason & { readonly ids: readonly string[] } {
    const ids = [id];
    let data: Reason | undefined;
    for (const at of ids) {
      const reason = this.#reasons.get(at);
      if (reason?.through !== undefined) data ??= reason;
      if (reason?.by !== undefined && !ids.includes(reason.by)) ids.push(reason.by);
    }
    return { ids, ...data };
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
    for (const [user, bits] of users ?? []) this.#add(user, { by: id }, !(bits & TAIL) || isLoose);
    // Tests don't run while the app serves requests.
    if (!this.reached.get(id) || isTestFile(id)) return;
    for (const state of this.graph.writesOf(id)) this.#changeState(state, id);
    // An import that calls a package may change how the package works for others.
    for (const mark of (id.endsWith(`#${INIT}`) && this.graph.units.get(id)?.marks) || [])
      if (mark.startsWith('calls:')) this.#changeState(mark.replace('calls:', 'package:'), id);
  }

  /**
   * A middleware decides whether the handler runs; code after `next()` depends on the handler. A value that is made for one request carries
   * changes only to code of the same endpoint.
   */
  #spreadThroughLayers(): boolean {
    const known = this.#ofRequests.size;
    for (const { before, file } of this.endpoints) {
      const ids = [...before, file].map((one) => this.graph.rootsOf(one));
      const layer = ids.findIndex((roots) => roots.some(this.has));
      const by = ids[layer]?.find(this.has) ?? '';
      // A middleware that only answers otherwise lets the same requests through.
      const deciding = ids.findIndex((roots) => roots.some((id) => this.reached.get(id)));
      for (const [at, roots] of layer === -1 ? [] : ids.entries())
        for (const id of roots) {
          const isAround = at < before.length && this.graph.isAround(id);
          const isReader = [...this.#ofRequests].some((one) => this.graph.leadsTo(id, one));
          if ((deciding !== -1 && at > deciding) || isAround || isReader)
            for (const state of this.graph.writesOf(id)) this.#changeState(state, by);
        }
    }
    return this.#todo.length > 0 || this.#ofRequests.size > known;
  }

  /** Only readers of a state change: the service that holds it isn't made anew. */
  #changeState(state: string, by: string): void {
    if (this.#states.has(state)) return;
    this.#states.add(state);
    const { graph } = this;
    const key = graph.keyOfFile.get(state.split('#')[0] ?? '');
    if (key !== undefined && graph.providers.get(key)?.lifetime === 'request') {
      this.#ofRequests.add(state);
      return;
    }
    this.isEverything ||= state === 'everything';
    for (const name of state.startsWith('env:') ? [state, `env:${ANY}`] : [state])
      for (const user of graph.from.get(name)?.keys() ?? [])
        if (graph.isReader(user, state)) this.#add(user, { by, through: state }, true);
    if (!graph.units.has(state) || this.has(state)) {
      const carried = { 'ctx:queues': 'queue', 'ctx:rooms': 'ws' }[state];
      for (const { kind, file } of this.endpoints)
        for (const id of kind === carried ? graph.rootsOf(file) : [])
          this.#add(id, { by, through: state }, true);
      return;
    }
    this.reached.set(state, false);
    this.#reasons.set(state, { by });
  }
}
