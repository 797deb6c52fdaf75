import { middlewaresOf } from 'fwkit/http';
import type { Project } from 'fwkit/plugin';
import { Graph } from '../graph/graph.js';
import { type Provider, providersIn, readModules } from '../graph/modules.js';
import { policyFiles } from '../policy/check-policy.js';
import { type GuardInputs, guardInputs, walk } from '../reach/survey.js';

/** `mcp/auth`, which checks tokens. */
const AUTH = /^mcp\/auth\.m?[jt]s$/;

/** The middlewares and `mcp/auth` of a project, and the values that they read. Files are relative to the source directory. */
export class Guards {
  readonly #inputs = new Map<string, GuardInputs>();

  static async read(project: Project): Promise<Guards> {
    const read = await readModules(project, providersIn(project));
    const policies = policyFiles(project).map(({ file }) => project.display(file));
    // A policy has the credentials and ids of its visitors.
    const modules = new Map([...read.modules].filter(([file]) => !policies.includes(file)));
    return new Guards(project, new Graph({ ...read, modules }));
  }

  private constructor(
    private readonly project: Project,
    private readonly graph: Graph,
  ) {}

  /** The values that the guards of a chain read, directly or in code that they use. */
  of(chain: readonly string[]): GuardInputs {
    const files = chain.map((file) => this.project.display(file));
    const known = this.#inputs.get(files.join('\n')) ?? guardInputs(this.graph, files);
    this.#inputs.set(files.join('\n'), known);
    return known;
  }

  get environment(): readonly string[] {
    return this.of(this.#files()).env;
  }

  /** The texts in the code that uses each variable of the environment, the nearest first. */
  get textsNearVariables(): ReadonlyMap<string, readonly string[]> {
    const { from, units } = this.graph;
    const near = (name: string): readonly string[] => {
      const users = new Set([`env:${name}`]);
      for (const id of users) for (const user of from.get(id)?.keys() ?? []) users.add(user);
      return [...users].flatMap((id) => [...(units.get(id)?.strings ?? [])]);
    };
    return new Map(this.environment.map((name) => [name, near(name)]));
  }

  /** Keys of services that no guard depends on if the values of `given` exist already. They need not start. */
  unneeded(given: readonly string[]): readonly string[] {
    const isCandidate = ({ key, file, lifetime }: Provider): boolean =>
      lifetime === 'singleton' && key !== 'logger' && !given.includes(key) && file !== undefined;
    const candidates = providersIn(this.project).filter(isCandidate);
    if (candidates.length === 0) return [];
    const roots = this.#files().flatMap((file) => this.graph.rootsOf(this.project.display(file)));
    const touched = new Set<string>();
    const steps = walk(this.graph, roots, (key) => {
      touched.add(key);
      return !given.includes(key);
    });
    const read = new Set(steps.map(({ id }) => id));
    // A module or a factory may fill data that guards read, such as a table of keys.
    const isFilling = (id: string): boolean =>
      !id.includes('#default.') && [...this.graph.writesOf(id)].some((state) => read.has(state));
    const filling = new Set([...this.graph.units.keys()].filter(isFilling).map((id) => id.split('#')[0]));
    return candidates.flatMap(({ key, file }) => (touched.has(key) || filling.has(file) ? [] : key));
  }

  #files(): readonly string[] {
    const auth = this.project.files('mcp').filter(({ file }) => AUTH.test(file));
    return [...middlewaresOf(this.project), ...auth].map(({ file }) => file);
  }
}
