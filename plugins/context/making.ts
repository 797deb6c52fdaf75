import type { SingletonInstance, Source } from './singleton-instance.js';

/** Thrown into a factory that reads a value which is still being made: the factory runs again when it is there. */
export class NotYet extends Error {}

/** Thrown into a factory that reads a value which cannot be made; the reason has been reported. */
export class Unmade extends Error {}

export const isAsync = ({ provider }: Source): boolean => provider.make.constructor.name === 'AsyncFunction';

/** A function, because reading another changes the state of an instance behind the back of the type checker. */
export const isReady = ({ state }: SingletonInstance): boolean => state === 'ready';
