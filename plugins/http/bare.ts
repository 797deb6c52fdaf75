/**
 * Strings by names that come from outside: nothing is inherited, and `__proto__` is a name like any other. V8 keeps what
 * `Object.create(null)` makes as a hash table; instances of a class take half the time.
 */
export class Bare {
  [name: string]: string;
}

Object.setPrototypeOf(Bare.prototype, null);
Reflect.deleteProperty(Bare.prototype, 'constructor');
Object.freeze(Bare.prototype);
