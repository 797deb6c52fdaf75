import type { Leaves } from '../graph/index.js';

/** Modules of Node that lead to the network, and those that lead to files. */
const NET = new Set(['net', 'tls', 'http', 'https', 'http2', 'dgram', 'dns', 'dns/promises', 'quic']);
const FS = new Set(['fs', 'fs/promises']);

/** Modules of Node that lead out of the process, or around the code that can be read. Others only compute. */
const OUTSIDE = new Set([
  ...['child_process', 'cluster', 'inspector', 'inspector/promises', 'module', 'os', 'process', 'repl'],
  ...['sqlite', 'tty', 'v8', 'vm', 'wasi', 'worker_threads'],
]);

/** What `.meta({ may })` calls what a module of Node leads to; undefined for one that only computes. */
export function nameOfBuiltin(builtin: string): string | undefined {
  const name = builtin.replace(/^node:/, '');
  if (NET.has(name)) return 'net';
  if (FS.has(name)) return 'fs';
  return OUTSIDE.has(name) ? `node:${name}` : undefined;
}

/** Packages of fwk itself are no way out by themselves. */
export const isOwnPackage = (name: string): boolean => name === 'fwkit' || name.startsWith('@fwkit/');

/** A way out, as `.meta({ may })` names it, and as people know it. */
export interface Capability {
  /** `net`, `fs`, `node:vm`, `env:HOME`, the name of a package. */
  readonly name: string;
  /** `fetch`, `node:http`, `process.env.HOME`, the name of a package. */
  readonly shown: string;
}

/** The ways out of the project's code that some units take by themselves. */
export function capabilitiesOf({ env, packages, builtins, net }: Leaves): readonly Capability[] {
  const found: Capability[] = [];
  for (const name of packages) if (!isOwnPackage(name)) found.push({ name, shown: name });
  for (const one of net) found.push({ name: 'net', shown: one });
  for (const one of builtins) {
    const name = nameOfBuiltin(one);
    if (name !== undefined) found.push({ name, shown: one });
  }
  for (const one of env)
    found.push({ name: `env:${one}`, shown: one === '*' ? 'process.env' : `process.env.${one}` });
  return found;
}
