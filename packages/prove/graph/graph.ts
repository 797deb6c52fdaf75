import path from 'node:path';
import { ANY, CALLED, GUESS, INIT, LOADS, ONCE, STORED, type Unit } from './facts.js';
import { WRITING } from './known-calls.js';
import { isTestFile, type Module, type Modules, type Provider } from './modules.js';

/** The nodes that are reachable from a node, the names in their code, and whether it calls methods by computed names. */
interface Closure {
  readonly ids: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  readonly isAny: boolean;
}
type Ids = readonly string[];
type Edges = Map<string, Map<string, number>>;

/**
 * The mentions of a project. A node is `file#unit`; `ctx:key` for a value of `ctx` without a file; `env:NAME`, `package:name`, `node:fs`,
 * `net:fetch`, `view:name`, `data:file`; `state:fs` and `state:global:name`.
 */
export class Graph {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly keyOfFile: ReadonlyMap<string, string>;
  readonly modules: ReadonlyMap<string, Module>;
  readonly changed: ReadonlySet<string>;
  readonly units = new Map<string, Unit>();
  readonly to: Edges = new Map();
  readonly from: Edges = new Map();
  readonly #views: Ids;
  readonly #defines: ReadonlySet<string>;
  readonly #closures = new Map<string, Closure>();
  readonly #states = new Map<string, ReadonlySet<string>>();
  /** Texts that no code spells as the name of a property. */
  readonly #texts = new Set<string>();
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
    // A template includes the templates whose names it contains, or all templates if it computes a name. Eta has names in quotes, inside of its tags.
    for (const [file, text] of templates) {
      const isAny = COMPUTED_INCLUDE.test(text);
      const names = file.endsWith('.eta') ? /(?<=['"`/])[\w-]+(?=['"`.])/g : /[\w-]+/g;
      const tags = file.endsWith('.eta') ? text.match(/<%(?:(?!<%)[\s\S])*%>/g)?.join() : undefined;
      const words = new Set((tags ?? text).match(names));
      for (const view of this.#views)
        if (isAny || words.has(path.posix.basename(view.slice('view:'.length))))
          this.#link(viewOf(file), view);
      if (/\bflash\b/.test(text)) for (const to of this.valueOf('flash', ANY)) this.#link(viewOf(file), to);
    }
    for (const [id, unit] of this.units) this.#linkUnit(id, unit);
    this.#linkMethods();
    this.#isLinking = false;
    // Code that reads a state may call the functions that were put into it.
    const stored = [...this.units].flatMap(([id, { stores }]) =>
      (isTestFile(id) ? [] : [...stores]).flatMap((one) =>
        this.#keepersOf(id, one).map((state) => ({ id, state })),
      ),
    );
    for (const { id, state } of stored)
      if (state !== id && !this.to.get(state)?.has(id))
        this.to.set(state, (this.to.get(state) ?? new Map()).set(id, STORED));
    this.#forget();
  }

  rootsOf(file: string): Ids {
    const exports = this.modules.get(file)?.facts.exports.keys();
    if (!exports) return [];
    return [...new Set([...exports].flatMap((name) => this.exported(file, name))), `${file}#${INIT}`];
  }

  exported(file: string, name: string, seen: Ids = []): Ids {
    const module = this.modules.get(file);
    if (!module || seen.includes(file)) return [];
    const { units, exports, stars } = module.facts;
    const all = [...units.keys()].map((unit) => `${file}#${unit}`);
    const through = [...stars].flatMap((one) => this.#imported(module, one, name, [...seen, file]));
    if (name === ANY) return [...all, ...through];
    // A member of a module that another one exports: `export * as db from './db.js'`.
    const [base = '', member] = name.split('.');
    const mentions = units.get(member === undefined ? '' : `>${base}`)?.mentions.keys() ?? [];
    const from = /^import:(.*)\n\*$/.exec([...mentions].join())?.[1];
    if (from !== undefined) return this.#imported(module, from, member ?? ANY, [...seen, file]);
    if (member !== undefined) return this.exported(file, base, seen);
    if (exports.has(name)) return [`${file}#${exports.get(name)}`];
    // A module of CommonJS, or a name that no module declares.
    return through.length > 0 ? through : exports.size === 0 ? all : [];
  }

  /** The units that run when a module is imported. */
  loadedBy(file: string): Ids {
    const units = [...(this.modules.get(file)?.facts.units ?? [])];
    const isRun = (name: string, unit: Unit): boolean =>
      name === INIT || (unit.marks.has('runs') && !this.keyOfFile.has(file));
    return units.flatMap(([name, unit]) => (isRun(name, unit) ? [`${file}#${name}`] : []));
  }

  /** The units of a value of `ctx` and one of its members; all members for `*`, none for ''. */
  valueOf(key: string, member = ''): Ids {
    const provider = this.providers.get(key);
    const units = this.modules.get(provider?.file ?? '')?.facts.units;
    if (!units) return provider ? [`ctx:${key}`] : [];
    const isMember = (name: string): boolean =>
      name === `default.${member}` || (member === ANY && name.startsWith('default.'));
    return ['default', ...[...units.keys()].filter(isMember)].map((name) => `${provider?.file}#${name}`);
  }

  /** The states that a unit may write differently if it behaves differently. */
  writesOf(id: string): ReadonlySet<string> {
    const known = this.#states.get(id);
    if (known) return known;
    const found = new Set<string>();
    const ids = new Set(this.#closureOf(id).ids);
    // Code that calls unknown functions may call the functions in the data that it reads.
    const stored = new Set<string>();
    for (const one of this.isLoose(id) ? ids : [])
      for (const [to, bits] of this.to.get(one) ?? [])
        for (const of of bits & STORED && stored.add(to) ? this.#closureOf(to).ids : []) ids.add(of);
    for (const one of ids) {
      for (const [state, bits] of this.units.get(one)?.writes ?? [])
        if (bits === 0 || one === id || stored.has(one) || id.includes('#+'))
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

  /** Whether a node may write to its arguments, or call them. Then its callers write, too. */
  isLoose = (id: string): boolean =>
    [...this.#closureOf(id).ids].some((one) =>
      [...(this.units.get(one)?.writes ?? [])].some(([state, bits]) => bits === 0 && /^\?\S*$/.test(state)),
    );

  #forget(): void {
    this.#closures.clear();
    this.#states.clear();
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
    // Any module may index an object by a variable, so a text counts as the key that it equals.
    for (const text of unit.strings) for (const to of this.valueOf(text, ANY)) this.#link(id, to);
    // Members of a service may call each other.
    for (const name of id.endsWith('#default') ? [] : unit.spells.keys())
      if (unit.spells.get(name) === 0 && this.units.has(`${file}#default.${name}`))
        this.#link(id, `${file}#default.${name}`);
    for (const key of unit.lost.length > 0 ? this.providers.keys() : [])
      for (const to of this.valueOf(key, ANY)) this.#link(id, to, GUESS);
  }

  /**
   * A node carries a class if it uses the class, or reads data that may contain objects of the class. A carrier may call a method if its
   * code contains the name. A package may call methods whose names no code contains. The methods contain further names, so this repeats.
   */
  #linkMethods(): void {
    const own = [...this.units].flatMap(([id, unit]) => (isTestFile(id) ? [] : unit));
    const spelled = new Set(own.flatMap(({ spells }) => [...spells.keys()]));
    for (const text of own.flatMap(({ strings }) => [...strings]))
      if (!spelled.has(text)) this.#texts.add(text);
    const methods = [...this.units.keys()].flatMap((id) => {
      const [, owner = '', file = '', name, method = ''] = /^((.*)#([\w$]+))\.(.*)$/.exec(id) ?? [];
      const isOfService = name === 'default' && this.keyOfFile.has(file);
      return owner === '' || isOfService ? [] : [{ id, owner, method }];
    });
    const carriers = new Map(methods.map(({ owner }) => [owner, new Set([owner])]));
    const parts = new Map(methods.map(({ owner }) => [owner, new Set<string>()]));
    for (let links = -1; links !== this.#links; ) {
      links = this.#links;
      this.#forget();
      for (const [owner, list] of carriers)
        for (const one of list)
          for (const [user, bits] of this.from.get(one) ?? []) {
            if (bits & LOADS) continue;
            // A part of the class gets its object from a carrier.
            if (/^[.:]/.test(user.slice(one.length)) && user.startsWith(one)) parts.get(owner)?.add(user);
            else list.add(user);
            for (const state of this.writesOf(user)) list.add(state);
          }
      for (const { id, owner, method } of methods)
        for (const one of [...(carriers.get(owner) ?? []), ...(parts.get(owner) ?? [])]) {
          const { names, isAny } = this.#closureOf(one, false);
          if (isAny || names.has(method) || !(spelled.has(method) || this.#texts.has(method)))
            this.#link(one, id);
          else if (this.#closureOf(one).names.has(method)) this.#link(one, id, ONCE);
        }
    }
    this.#forget();
  }

  #imported(module: Module | undefined, specifier: string, name: string, seen?: Ids): Ids {
    const to = module?.destinations.get(specifier) ?? '';
    const file = to.slice('file:'.length);
    if (!to.startsWith('file:')) return to === '' ? [] : [to];
    return this.modules.has(file) ? this.exported(file, name, seen) : [`data:${file}`];
  }

  /** Resolves a mention in a file to nodes. */
  #resolve(file: string, mention: string): Ids {
    const [, kind = '', rest = '', name = ''] = /^(\w*):([^\n]*)\n?(.*)$/.exec(mention) ?? [];
    if (kind === 'unit') return this.units.has(`${file}#${rest}`) ? [`${file}#${rest}`] : [];
    if (kind === 'import') return this.#imported(this.modules.get(file), rest, name);
    if (kind === 'load') return this.loadedBy(this.modules.get(file)?.destinations.get(rest)?.slice(5) ?? '');
    if (kind === 'ctx') return this.valueOf(rest, name);
    if (kind === 'session')
      return [...this.providers.values()].flatMap((one) =>
        one.lifetime === kind ? this.valueOf(one.key) : [],
      );
    if (kind === 'later') {
      const start = rest === ANY ? '' : path.posix.join(path.posix.dirname(file), rest);
      const files = [...this.modules.keys()].filter((one) => one.startsWith(start));
      return files.flatMap((one) => this.exported(one, ANY));
    }
    if (kind !== 'view') return [mention];
    if (!rest.endsWith(ANY)) return [viewOf(`views/${rest}`)];
    return this.#views.filter((one) => one.startsWith(mention.slice(0, -1)));
  }

  /** The nodes of a state, behind re-exports. */
  #nodesOf(id: string, state: string): Ids {
    return this.#resolve(id.split('#')[0] ?? '', state).flatMap(this.#behind);
  }

  #behind = (id: string): Ids =>
    id.includes('#>') ? [...(this.to.get(id)?.keys() ?? [])].flatMap(this.#behind) : [id];

  /** The states that keep a function of a unit: all states that the unit writes if the receiver of the function isn't known. */
  #keepersOf(id: string, keeper: string): Ids {
    const [, method = '', state = ''] = WRITE.exec(keeper) ?? [];
    const isMethod = (one: string): boolean => method !== '' && one.endsWith(`.${method}`);
    const methods = [...(this.to.get(id)?.keys() ?? [])].filter(isMethod);
    if (state === '' && methods.length === 0) return [...this.writesOf(id)];
    const found = [...(state === '' ? [] : this.#nodesOf(id, state)), ...methods];
    // A function that is called keeps nothing itself: `pipe(f, g)`.
    const isFunction = (one: string): boolean =>
      method === '' && !one.endsWith('#default') && this.units.get(one)?.marks.has('holder') === false;
    return found.flatMap((one) => [...(isFunction(one) ? [] : [one]), ...this.writesOf(one)]);
  }

  /** The nodes of a state in the form of `writes.ts`; `?` for an unknown one. */
  #statesOf(id: string, written: string): Ids {
    const [, method, state = written] = WRITE.exec(written) ?? [];
    // A method that the project defines is read itself.
    const isDefined = method === CALLED || (this.#defines.has(method ?? '') && !WRITING.test(method ?? ''));
    if (method !== undefined && state === '') return isDefined ? [] : ['?'];
    if (isDefined && state.startsWith('unit:')) return [];
    const nodes = this.#nodesOf(id, state);
    if (nodes.length === 0 && state.startsWith('ctx:')) return ['?'];
    // fwk reads the methods of an object that the project creates.
    const isRead = (one: string): boolean => {
      const marks = this.units.get(one)?.marks;
      if (!marks) return !one.startsWith('ctx:') || one === 'ctx:logger';
      if (state.startsWith('unit:') && (one.endsWith('#default') || !marks.has('holder'))) return false;
      const makers = [one, ...(this.to.get(one)?.keys() ?? [])].flatMap(this.#behind);
      return !makers.some((of) => this.units.get(of)?.marks.has('opaque'));
    };
    return method === undefined ? nodes : nodes.filter((one) => !isRead(one));
  }

  /** Whether a write through an unknown value may change a node. A value that is created for one request has no other readers. */
  #isState(id: string): boolean {
    const key = id.endsWith('#default') ? this.keyOfFile.get(id.split('#')[0] ?? '') : undefined;
    if (key !== undefined) return this.providers.get(key)?.lifetime !== 'request';
    return (id.startsWith('ctx:') && id !== 'ctx:logger') || !!this.units.get(id)?.marks.has('holder');
  }

  /** `isMade`: includes code that runs once, while the node is created. */
  #closureOf(id: string, isMade = true): Closure {
    const known = this.#closures.get(`${id} ${isMade}`);
    if (known) return known;
    const ids = new Set([id]);
    // Importing a module runs its top-level code, which runs once.
    const isLoad = id.includes('#+');
    for (const one of ids)
      for (const [to, bits] of this.to.get(one) ?? []) {
        const isRun = bits & LOADS ? isLoad : isLoad || (one === id && isMade) || !(bits & ONCE);
        if (isRun && !(bits & GUESS) && (!(bits & STORED) || to.endsWith(`#${INIT}`))) ids.add(to);
      }
    const units = [...ids].flatMap((one) => this.units.get(one) ?? []);
    const has = (mark: string): boolean => units.some(({ marks }) => marks.has(mark));
    const own = this.units.get(id);
    const names = new Set(
      units.flatMap((unit) =>
        [...unit.spells].flatMap(([name, bits]) => (bits === 0 || (unit === own && isMade) ? name : [])),
      ),
    );
    // A variable that indexes an object holds a text of a caller.
    const isIndexed = has('indexed');
    for (const { strings } of units)
      for (const text of strings) if (isIndexed || this.#texts.has(text)) names.add(text);
    const closure = { ids, names, isAny: has('indexed:*') };
    this.#closures.set(`${id} ${isMade}`, closure);
    return closure;
  }
}

/** A template that includes another one by anything but a plain text. */
const COMPUTED_INCLUDE =
  /\b(?:layout|include(?:File|Async)?|render)\((?!\s*(['"`])[^'"`$]*\1\s*[,)]|\s*\w+\s*=>)/;
/** The name of a method that may write, and the state that it is called on. */
const WRITE = /^\?(\S*) ?(.*)$/s;
const viewOf = (file: string): string => `view:${file.replace(/^views\/|\.[^./]*$/g, '')}`;
