/** What a project's modules say of each other: which unit reaches which, over imports and over `ctx`. */
export type { Export } from './exports.js';
export type { Blind, Facts, Unit } from './facts.js';
export { ALL, MADE, VALUE } from './followed.js';
export { Graph } from './graph.js';
export type { Leaves, Linkable, Reached } from './linkable.js';
export type { Destination, Destinations } from './linker.js';
export { factsOf, partialFacts } from './module-facts.js';
export { modulesOf, type Readable, type ReadOptions, readGraph } from './read-graph.js';
export { readTemplates, Templates } from './templates.js';
export { fileOf, idOf, isAny, type Read, type UnitId, unitOf } from './unit-id.js';
export { HEALTH, INIT } from './units.js';
