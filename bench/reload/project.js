/** The project to edit: 500 routes that share one module and a few services, and a hand-written server for it. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const ROUTES = 500;
/** The route whose text a leaf edit changes. */
export const LEAF = '/api/g7/r137';

const SERVICES = ['clock', 'mailer', 'store', 'users'];
const pathOf = (index) => `/api/g${index % 10}/r${index}`;
const repo = join(import.meta.dirname, '../..');

/** Paths of all routes. */
export const PATHS = Array.from({ length: ROUTES }, (_, index) => pathOf(index));

/**
 * A copy of the project on disk, in TypeScript or JavaScript. Each edit writes a version number that responses contain.
 */
export class Project {
  #typed;
  #source;

  constructor(root, language) {
    this.root = root;
    this.#typed = language === 'ts';
    this.#source = join(root, this.#typed ? 'src' : '.');
    this.server = join(this.#source, this.#name('server'));
    mkdirSync(join(root, 'node_modules'), { recursive: true });
    symlinkSync(repo, join(root, 'node_modules/fwkit'));
    writeFileSync(join(root, 'package.json'), '{ "private": true, "type": "module" }\n');
    writeFileSync(
      join(root, 'tsconfig.json'),
      '{ "compilerOptions": { "rewriteRelativeImportExtensions": true }, "include": ["src", ".fwk/**/*"] }\n',
    );
    for (const name of SERVICES) this.#write(`services/${name}`, this.#service(name));
    this.#write('lib/shared', this.#shared(0));
    for (const path of PATHS) this.#write(`${path.slice(1)}.get`, this.#route(path, 0));
    this.#write('server', this.#serverText());
  }

  /**
   * Changes one route (leaf) and the module that every route imports (shared), in turn. Returns the kind of the edit and
   * its time.
   */
  edit(version) {
    const kind = version % 2 === 1 ? 'leaf' : 'shared';
    const saved = performance.now();
    if (kind === 'leaf') this.#write(`${LEAF.slice(1)}.get`, this.#route(LEAF, version));
    else this.#write('lib/shared', this.#shared(version));
    return { kind, saved };
  }

  #type(name) {
    return this.#typed ? `: ${name}` : '';
  }

  #name(path) {
    return `${path}.${this.#typed ? 'ts' : 'js'}`;
  }

  #write(path, text) {
    const file = join(this.#source, this.#name(path));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  #shared(version) {
    return `export const version = ${version};
export const label = (text${this.#type('string')}) => \`<\${text}>\`;
`;
  }

  #route(path, version) {
    return `import { get } from 'fwkit';
import { label, version as shared } from '../../lib/shared.${this.#typed ? 'ts' : 'js'}';

const leaf${this.#type('number')} = ${version};

export default get((req, res, ctx) => ({ path: label('${path}'), leaf, shared, store: ctx.store.name }));
`;
  }

  #service(name) {
    const reads = name === 'store' ? 'ctx.clock.name' : `'${name}'`;
    return `import { service } from 'fwkit';

export default service((ctx${this.#type('any')}) => ({ name: '${name}', of: ${reads} }));
`;
  }

  /** A typical server without a framework: the same modules, a Map of paths, JSON. */
  #serverText() {
    const named = (path) => this.#name(`.${path}`);
    const services = SERVICES.map((name) => `import ${name} from '${named(`/services/${name}`)}';`);
    const routes = PATHS.map((path, index) => `import r${index} from '${named(`${path}.get`)}';`);
    return `import { createServer } from 'node:http';
${[...services, ...routes].join('\n')}

const ctx${this.#type('any')} = {};
${SERVICES.map((name) => `ctx.${name} = ${name}.make(ctx, { onDestroy() {}, req: undefined });`).join('\n')}
const routes = new Map${this.#typed ? '<string | undefined, any>' : ''}([
${PATHS.map((path, index) => `  ['${path}', r${index}],`).join('\n')}
]);

createServer((req, res) => {
  const route = routes.get(req.url);
  if (!route) return res.writeHead(404).end();
  const body = JSON.stringify(route.handler(req, res, ctx));
  res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }).end(body);
}).listen(Number(process.env.PORT), '127.0.0.1');
`;
  }
}
