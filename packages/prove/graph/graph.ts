import path from 'node:path';
import { ANY, CALLED, GUESS, INIT, NAMED, ONCE, STORED, type Unit, WRITTEN } from './facts.js';
import { WRITING } from './known-calls.js';
import { isTestFile, type Module, type Modules, type Provider } from './modules.js';

/** All nodes that a node leads to, the names that code there spells, and whether it calls a method by a computed name. */
interface Closure {
  readonly ids: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  readonly isAny: boolean;
}
type Ids = readonly string[];
type Edges = Map<string, Map<string, number>>;

/**
 * Who mentions whom, by name. A node is `file#unit`; `ctx:key` for a value of `ctx` without a file; `env:NAME`, `package:name`,
 * `node:fs`, `net:fetch`, `view:name`, `data:file`; `state:fs` and `state:global:name`.
 */
export class Graph {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly keyOfFile: ReadonlyMap<string, string>;
  readonly modules: ReadonlyMap<string, Module>;
  readonly changed: ReadonlySet<string>;
  readonly units = new Map<string, Unit>();
  readonly to: Edges = new Map();
  readonly from: Edges = new Map();
  readonly #views: readonly string[];
  readonly #defines: ReadonlySet<string>;
  readonly #closures = new Map<string, Closure>();
  readonly #states = new Map<string, ReadonlySet<string>>();
  #links = 0;
  #isLinking = true;

  constructor({ modules, providers, changed, templates }: Modules) {
    this.modules = modules;
    this.changed = changed;
    this.providers = new Map(providers.map((one) => [one.key, one]));
    this.keyOfFile = new Map(providers.map(({ key, file = '' }) => [file, key]));
    this.#views = [...templates.keys()].map(viewOf);
    this.#defines = new Set([...modules.values()].flatMap(({ facts }) => [...facts.defines]));
    for (const [file, { facts }] of modules)
      for (const [name, unit] of facts.units) this.units.set(`${file}#${name}`, unit);
    // Templates lead to the templates whose names stand in them.
    for (const [file, text] of templates) {
      const isComputed = /\b(?:layout|include|includeFile|includeAsync|render)\(\s*(?!['"`\s]|\w+\s*=>)/.test(
        text,
      );
      const found = new Set(text.match(/[\w-]+/g));
      for (const view of this.#views)
        if (isComputed || found.has(path.posix.basename(view.slice('view:'.length))))
          this.#link(viewOf(file), view);
    }
    for (const [id, unit] of this.units) this.#linkUnit(id, unit);
    this.#linkMethods();
    this.#isLinking = false;
    // Whoever reads a state may run the functions that were put into it.
    const stored = [...this.units].flatMap(([id, { stores }]) =>
      isTestFile(id) ? [] : [...stores].map((one) => ({ id, states: this.#keeping(id, one) })),
    );
    for (const { id, states } of stored)
      for (const state of states)
        if (state !== id && !this.to.get(state)?.has(id))
          this.to.set(state, (this.to.get(state) ?? new Map()).set(id, STORED));
    this.#closures.clear();
    this.#states.clear();
  }

  rootsOf(file: string): Ids {
    const exports = this.modules.get(file)?.facts.exports.keys();
    return exports
      ? [...new Set([...exports].flatMap((name) => this.exported(file, name))), `${file}#${INIT}`]
      : [];
  }

  exported(file: string, name: string, seen: readonly string[] = []): Ids {
    const module = this.modules.get(file);
    if (!module || seen.includes(file)) return [];
    const { units, exports, stars } = module.facts;
    const all = [...units.keys()].map((unit) => `${file}#${unit}`);
    const through = [...stars].flatMap((one) => this.#imported(module, one, name, [...seen, file]));
    if (name === ANY) return [...all, ...through];
    if (exports.has(name)) return [`${file}#${exports.get(name)}`];
    // CommonJS, or a name that nobody declares: all of the module.
    return through.length > 0 ? through : exports.size === 0 ? all : [];
  }

  /** A value of `ctx` and one of its members; all members for `*`, none for ''. */
  valueOf(key: string, member = ''): Ids {
    const provider = this.providers.get(key);
    const units = this.modules.get(provider?.file ?? '')?.facts.units;
    if (!units) return provider ? [`ctx:${key}`] : [];
    const isMember = (name: string): boolean =>
      name === `default.${member}` || (member === ANY && /^default\./.test(name));
    const names = [...units.keys()].filter(isMember);
    return ['default', ...names].map((name) => `${provider?.file}#${name}`);
  }

  /** The states that a unit may write otherwise if it runs otherwise. */
  writesOf(id: string): ReadonlySet<string> {
    const known = this.#states.get(id);
    if (known) return known;
    const found = new Set<string>();
    const ids = new Set(this.#closureOf(id).ids);
    // Code that calls unknown functions may call the functions that are in the data that it reads.
    const stored = new Set<string>();
    for (const one of this.isLoose(id) ? ids : [])
      for (const [to, bits] of this.to.get(one) ?? [])
        for (const of of bits & STORED && stored.add(to) ? this.#closureOf(to).ids : []) ids.add(of);
    for (const one of ids) {
      const { writes = [], making = [] } = this.units.get(one) ?? {};
      for (const state of one === id || stored.has(one) ? [...writes, ...making] : writes)
        for (const of of this.#statesOf(one, state)) found.add(of);
    }
    if (found.delete('?') && !this.#isLinking) for (const one of ids) if (this.#isState(one)) found.add(one);
    this.#states.set(id, found);
    return found;
  }

  /** Whether code of a middleware may run after the handler, and depend on its result. */
  isAround(id: string): boolean {
    const has = (one: string, mark: string): boolean => this.units.get(one)?.marks.has(mark) === true;
    const ids = has(id, 'passesNext') ? [...this.#closureOf(id).ids] : [];
    return has(id, 'aroundNext') || ids.some((one) => has(one, 'aroundCall'));
  }

  leadsTo = (id: string, to: string): boolean => this.#closureOf(id).ids.has(to);

  /** Whether a node may write to what it is given, or call it: then its callers write, too. */
  isLoose(id: string): boolean {
    return [...this.#closureOf(id).ids].some((one) =>
      [...(this.units.get(one)?.writes ?? [])].some((state) => /^\?\S*$/.test(state)),
    );
  }

  /** Whether a unit looks at a state, and doesn't only write to it. */
  isReader(user: string, state: string): boolean {
    const isOfService = state.endsWith('#default') || !this.units.has(state);
    return isOfService || !((this.to.get(user)?.get(state) ?? 0) & WRITTEN);
  }

  #link(a: string, b: string, bits = 0): void {
    const known = this.to.get(a)?.get(b);
    if (a === b || (known !== undefined && bits & GUESS)) return;
    const merged = (known ?? -1) & bits;
    if (merged !== known) this.#links += 1;
    this.to.set(a, (this.to.get(a) ?? new Map()).set(b, merged));
    this.from.set(b, (this.from.get(b) ?? new Map()).set(a, merged));
  }

  #linkUnit(id: string, unit: Unit): void {
    const [file = ''] = id.split('#');
    for (const [mention, bits] of unit.mentions)
      for (const to of this.#resolve(file, mention)) this.#link(id, to, bits);
    // Any module indexes objects by variables, so a text counts as the key that it equals.
    for (const text of unit.strings) for (const to of this.valueOf(text, ANY)) this.#link(id, to);
    // Members of one service may call each other.
    for (const name of id.endsWith('#default') ? [] : unit.spells)
      if (this.units.has(`${file}#default.${name}`)) this.#link(id, `${file}#default.${name}`);
    for (const key of unit.lost.length > 0 ? this.providers.keys() : [])
      for (const to of this.valueOf(key, ANY)) this.#link(id, to, GUESS);
  }

  /**
   * Who leads to a class, or reads data where somebody put its objects, and leads to code that spells a method's name, leads to the method.
   * Packages call methods that nobody spells. A method may lead to code that spells more names, so this repeats until nothing is new.
   */
  #linkMethods(): void {
    const spelled = new Set<string>();
    for (const [id, { spells, makingSpells }] of this.units)
      for (const name of isTestFile(id) ? [] : [...spells, ...makingSpells]) spelled.add(name);
    const methods = [...this.units.keys()].flatMap((id) => {
      const [, owner = '', file = '', name, method = ''] = /^((.*)#([\w$]+))\.(.*)$/.exec(id) ?? [];
      const isOfService = name === 'default' && this.keyOfFile.has(file);
      return owner === '' || isOfService ? [] : [{ id, owner, method }];
    });
    const carriers = new Map(methods.map(({ owner }) => [owner, new Set([owner])]));
    const parts = new Map(methods.map(({ owner }) => [owner, new Set<string>()]));
    for (let links = -1; links !== this.#links; ) {
      links = this.#links;
      this.#closures.clear();
      this.#states.clear();
      for (const [owner, list] of carriers)
        for (const one of list) {
          for (const [user, bits] of this.from.get(one) ?? []) {
            // Who calls a method has the object from elsewhere.
            const isPart = user.startsWith(one) && /^[.:]/.test(user.slice(one.length));
            (isPart ? parts.get(owner) : list)?.add(user);
            // An object that is passed on may be put into data.
            if (!(bits & NAMED)) for (const state of this.writesOf(user)) list.add(state);
          }
        }
      for (const { id, owner, method } of methods)
        for (const one of [...(carriers.get(owner) ?? []), ...(parts.get(owner) ?? [])]) {
          const { names, isAny } = this.#closureOf(one, false);
          const isMaking = () =>
            this.#closureOf(one).names.has(method) || this.units.get(one)?.makingSpells.has(method);
          if (isAny || names.has(method) || !spelled.has(method)) this.#link(one, id);
          else if (isMaking()) this.#link(one, id, ONCE);
        }
    }
    this.#closures.clear();
    this.#states.clear();
  }

  #imported(module: Module | undefined, specifier: string, name: string, seen?: readonly string[]): Ids {
    const to = module?.destinations.get(specifier) ?? '';
    const file = to.slice('file:'.length);
    if (!to.startsWith('file:')) return to === '' ? [] : [to];
    return this.modules.has(file) ? this.exported(file, name, seen) : [`data:${file}`];
  }

  #resolve(file: string, mention: string): Ids {
    const [, kind = '', rest = '', name = ''] = /^(\w*):([^\n]*)\n?(.*)$/.exec(mention) ?? [];
    const start = rest === ANY ? '' : path.posix.join(path.posix.dirname(file), rest);
    const starting = (list: Iterable<string>, with_: string): Ids =>
      [...list].filter((one) => one.startsWith(with_));
    if (kind === 'unit') return this.units.has(`${file}#${rest}`) ? [`${file}#${rest}`] : [];
    if (kind === 'import') return this.#imported(this.modules.get(file), rest, name);
    if (kind === 'ctx') return this.valueOf(rest, name);
    if (kind === 'session')
      return [...this.providers.values()].flatMap((one) =>
        one.lifetime === kind ? this.valueOf(one.key) : [],
      );
    if (kind === 'later')
      return starting(this.modules.keys(), start).flatMap((one) => this.exported(one, ANY));
    if (kind !== 'view') return [mention];
    return rest.endsWith(ANY) ? starting(this.#views, mention.slice(0, -1)) : [viewOf(`views/${rest}`)];
  }

  /** The states where a function may be kept that a unit passes on: all that the unit writes if it isn't known who gets it. */
  #keeping(id: string, keeper: string): readonly string[] {
    const [, method = '', name = ''] = /^\?(\S*) ?(.*)$/s.exec(keeper) ?? [];
    const isMethod = (one: string): boolean => method !== '' && one.endsWith(`.${method}`);
    const methods = [...(this.to.get(id)?.keys() ?? [])].filter(isMethod);
    const found = [
      ...this.#resolve(id.split('#')[0] ?? '', name || 'unit:?').flatMap(this.#through),
      ...methods,
    ];
    // A function keeps nothing itself, and the methods of a service are seen.
    const isHolder = (one: string): boolean => {
      const marks = this.units.get(one)?.marks;
      const isUnseen = one.endsWith('#default') && methods.length === 0;
      return !marks || isUnseen || marks.has('holder') || marks.has('opaque');
    };
    return name === '' && methods.length === 0
      ? [...this.writesOf(id)]
      : found.flatMap((one) => [...(isHolder(one) ? [one] : []), ...this.writesOf(one)]);
  }

  /** Where an export leads. */
  #through = (one: string): readonly string[] =>
    one.includes('#>') ? [...(this.to.get(one)?.keys() ?? [])].flatMap(this.#through) : [one];

  /** The ids of a state that `writes.ts` notes; `?` for an unknown one. */
  #statesOf(id: string, written: string): Ids {
    if (written.startsWith('@')) return this.#heldBy(id, written);
    const [, method, state = ''] = /^\?(\S*) ?(.*)$/s.exec(written) ?? ['', undefined, written];
    const isCall = method !== undefined;
    // A method of the project's own code says itself what it writes.
    const isDefined = method === CALLED || (this.#defines.has(method ?? '') && !WRITING.test(method ?? ''));
    if (state === '') return isDefined ? [] : ['?'];
    if (isDefined && state.startsWith('unit:')) return [];
    const ids = this.#resolve(id.split('#')[0] ?? '', state).flatMap(this.#through);
    if (ids.length === 0 && state.startsWith('ctx:')) return ['?'];
    // A method of the project's own object is seen in its own code.
    const isSeen = (one: string): boolean => {
      const marks = this.units.get(one)?.marks;
      if (!marks) return !one.startsWith('ctx:') || one === 'ctx:logger';
      const isMade = state.startsWith('unit:') && (one.endsWith('#default') || !marks.has('holder'));
      const makers = [one, ...[...(this.to.get(one)?.keys() ?? [])].flatMap(this.#through)];
      return !isMade && !makers.some((of) => this.units.get(of)?.marks.has('opaque'));
    };
    return isCall ? ids.filter((one) => !isSeen(one)) : ids;
  }

  /** The states that the result of a call may be a part of: all that the called code leads to. */
  #heldBy(id: string, origin: string): Ids {
    const [, names = '', state = ''] = /^@(\S*) (.*)$/s.exec(origin) ?? [];
    const called = names.split('.').map((name) => `.${name}`);
    const linked = [...(this.to.get(id)?.keys() ?? [])].filter((one) =>
      called.some((name) => one.endsWith(name)),
    );
    const roots = this.#resolve(id.split('#')[0] ?? '', state).flatMap(this.#through);
    const ids = new Set([...roots, ...linked]);
    const found = new Set(roots);
    for (const one of ids)
      for (const [to, bits] of this.to.get(one) ?? [])
        if (!(bits & (NAMED | STORED | GUESS)) && !(roots.includes(one) && one.endsWith('#default')))
          ids.add(to);
    for (const one of ids) if (this.#isState(one)) found.add(one);
    return roots.length === 0 ? ['?'] : [...found];
  }

  /** Whether a write through an unknown value may change it. Nobody else has a value that is made for one request. */
  #isState(id: string): boolean {
    const key = id.endsWith('#default') ? this.keyOfFile.get(id.split('#')[0] ?? '') : undefined;
    if (key !== undefined) return this.providers.get(key)?.lifetime !== 'request';
    return (id.startsWith('ctx:') && id !== 'ctx:logger') || !!this.units.get(id)?.marks.has('holder');
  }

  /** `isMade`: with code that runs once, while the node is made. */
  #closureOf(id: string, isMade = true): Closure {
    const known = this.#closures.get(`${id} ${isMade}`);
    if (known) return known;
    const ids = new Set([id]);
    const names = new Set<string>();
    const texts = new Set<string>();
    let isIndexed = false;
    let isAny = false;
    for (const one of ids) {
      for (const [to, bits] of this.to.get(one) ?? []) {
        const isRun = (one === id && isMade) || !(bits & ONCE);
        if (isRun && !(bits & GUESS) && (!(bits & STORED) || to.endsWith(`#${INIT}`))) ids.add(to);
      }
      const { spells = [], strings = [], marks } = this.units.get(one) ?? {};
      for (const name of spells) names.add(name);
      for (const text of strings) texts.add(text);
      isIndexed ||= marks?.has('indexed') === true;
      isAny ||= marks?.has('indexed:*') === true;
    }
    // A variable holds a text that its caller gave.
    for (const text of isIndexed ? texts : []) names.add(text);
    const closure = { ids, names, isAny };
    this.#closures.set(`${id} ${isMade}`, closure);
    return closure;
  }
}

const viewOf = (file: string): string => `view:${file.replace(/^views\/|\.[^./]*$/g, '')}`;
