import { readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { Project } from 'fwkit/plugin';
import { cookie, header, parameter, type Spelling } from './spellings.js';

/** The most spellings that are made of what the guards of one route mention. */
const MAX_MENTIONED = 24;
/** What a module imports, exports from or imports later. */
const SPECIFIERS = /(?:\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"\n]+)\1/g;
/** Where it is linked, it looks like a module of the project. */
const FRAMEWORK = /^@?fwkit(?:\/|$)/;
/** What says where a request goes. */
const DESTINATION = /\b(?:path|url|params|raw|file|label|originalUrl|pathname|href)\b/;
const COMMENTS = /\/\*[\s\S]*?\*\/|(?<![:'"`\\])\/\/[^\n]*/g;
const HEADER =
  /\bheader\(\s*(['"`])([\w-]+)\1|\bheaders(?:\.get\(\s*|\[\s*|\??\.\[\s*)(['"`])([\w-]+)\3|\bheaders\??\.(\w+)/g;
const PARAMETER =
  /\bquery\??\.(\w+)|\bquery\??\.?\[\s*(['"`])([\w-]+)\2|\bsearchParams\.(?:get|has)\(\s*(['"`])([\w-]+)\4/g;
const COOKIE = /\bcookies\??\.(\w+)|\bcookies?\??\.?(?:\(|\[)\s*(['"`])([\w-]+)\2/g;
/** Headers that say what a message is, or who sends it where that is no secret of the guard's. */
const ORDINARY: ReadonlySet<string> = new Set([
  'host',
  'upgrade',
  'connection',
  'content-length',
  'get',
  'has',
]);
/** What stands for a person is guessed by what code makes of nothing; all else by what is true. */
const SECRET = /auth|token|key|secret|session|cookie|password|signature|credential|jwt|sid\b/i;
const OF_SECRETS = ['', 'undefined', 'null'];
const OF_SWITCHES = ['1', 'true'];

interface Module {
  readonly text: string;
  /** Absolute paths of what it imports of the project. */
  readonly imports: readonly string[];
}

/** The texts of middlewares, and of the project's own modules that they import. */
export class GuardTexts {
  readonly #project: Project;
  readonly #modules = new Map<string, Promise<Module>>();
  readonly #chains = new Map<string, Promise<string>>();

  constructor(project: Project) {
    this.#project = project;
  }

  /** All that guards of a chain say, without comments. */
  of(chain: readonly string[]): Promise<string> {
    const key = chain.join('\n');
    const known = this.#chains.get(key) ?? this.#read(chain);
    this.#chains.set(key, known);
    return known;
  }

  async #read(chain: readonly string[]): Promise<string> {
    const seen = new Set(chain.map((file) => join(this.#project.source, file)));
    const texts: string[] = [];
    // Grows while it is walked.
    for (const file of seen) {
      const { text, imports } = await this.#module(file);
      texts.push(text);
      for (const one of imports) seen.add(one);
    }
    return texts.join('\n');
  }

  #module(file: string): Promise<Module> {
    const known = this.#modules.get(file) ?? this.#load(file);
    this.#modules.set(file, known);
    return known;
  }

  async #load(file: string): Promise<Module> {
    const text = (await readFile(file, 'utf8').catch(() => '')).replace(COMMENTS, '');
    const specifiers = [...text.matchAll(SPECIFIERS)]
      .map(([, , specifier = '']) => specifier)
      .filter((specifier) => !FRAMEWORK.test(specifier));
    const resolved = await Promise.all(specifiers.map((one) => this.#project.resolveImport(one, file)));
    return { text, imports: resolved.filter((path) => path !== undefined).filter(isOwn) };
  }
}

const isOwn = (path: string): boolean => isAbsolute(path) && !path.includes('node_modules');

/** Whether guards may decide by where a request goes, so that each route of a class has to be asked. */
export const looksAtDestination = (text: string): boolean => DESTINATION.test(text);

/** Spellings made of the headers, parameters and cookies that guards read. */
export function mentionedSpellings(text: string): readonly Spelling[] {
  const named = (pattern: RegExp): string[] => [
    ...new Set(
      [...text.matchAll(pattern)]
        .map((match) => match.slice(1).findLast((group) => group !== undefined && /\w/.test(group)) ?? '')
        .filter((name) => name !== '' && !ORDINARY.has(name.toLowerCase())),
    ),
  ];
  const guesses = (make: (name: string, value: string) => Spelling) => (name: string) =>
    (SECRET.test(name) ? OF_SECRETS : OF_SWITCHES).map((value) => make(name, value));
  return [
    ...named(HEADER).flatMap(guesses(header)),
    ...named(PARAMETER).flatMap(guesses(parameter)),
    ...named(COOKIE).flatMap(guesses(cookie)),
  ].slice(0, MAX_MENTIONED);
}
