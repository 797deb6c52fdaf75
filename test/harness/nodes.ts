import path from 'node:path';
import { packageAs } from './packages.js';
import { isSample } from './sample.js';

/** The supported versions of Node, and the version that runs the tests. */
const MAJORS = [20, 22, 24, 26];

const PLATFORM = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

/** The `node` that runs the tests, or the newest of a major version; npm has one package per platform. */
export function node(major: number): string {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const name = `node${major}`;
  return path.join(packageAs(name, `npm:node-${PLATFORM}@${major}`), `node_modules/${name}/bin/node`);
}

const majors = isSample ? [Number.parseInt(process.versions.node, 10)] : MAJORS;

/** The executable of every supported version of Node, by name; in a sample, only the executable that runs the tests. */
export const nodes = (): ReadonlyMap<string, string> =>
  new Map(majors.map((major) => [`Node ${major}`, node(major)]));
