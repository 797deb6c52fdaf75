import { middlewaresOf } from 'fwkit/http';
import type { Project } from 'fwkit/plugin';
import { type Graph, readGraph } from '../graph/index.js';

/** `mcp/auth`, which knows who calls. */
const AUTH = /^mcp\/auth\.m?[jt]s$/;
/** The framework writes to it. */
const LOGGER = 'logger';

/** Which services nothing in front of a handler asks for, so that they need not be made. */
export class Unneeded {
  readonly #project: Project;

  constructor(project: Project) {
    this.#project = project;
  }

  /** Keys of singletons that nothing reaches where the values of `given` are there already. */
  async keys(given: readonly string[]): Promise<readonly string[]> {
    const { providers } = this.#project;
    const made = providers.filter(({ key }) => !given.includes(key));
    const own = made.filter(({ file }) => !file.startsWith('plugin "'));
    const candidates = own.filter(({ key, lifetime }) => lifetime === 'singleton' && key !== LOGGER);
    if (candidates.length === 0) return [];
    const roots = this.#roots();
    const graph = await this.#graph(roots, made);
    const { touched } = graph.reach(roots);
    return candidates.map(({ key }) => key).filter((key) => !touched.has(key));
  }

  /** The files whose code runs in front of handlers. */
  #roots(): readonly string[] {
    const auth = this.#project.files('mcp').filter(({ file }) => AUTH.test(file));
    return [...middlewaresOf(this.#project), ...auth].map(({ file }) => file);
  }

  #graph(roots: readonly string[], providers: Project['providers']): Promise<Graph> {
    const { root, source, entries } = this.#project;
    const files = providers.map(({ file }) => file).filter((file) => !file.startsWith('plugin "'));
    return readGraph(
      {
        root,
        source,
        entries,
        providers,
        resolveImport: (...asked) => this.#project.resolveImport(...asked),
      },
      { files: [...roots, ...files] },
    );
  }
}
