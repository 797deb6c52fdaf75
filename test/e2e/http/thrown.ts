import { module } from '../../harness/source.js';

/** A route that throws the value `?what=` names, or rejects with it later if `&later` is present. */
export const thrower = module(
  'error, get',
  `const inner = () => { throw new Error('inner'); };
const things = {
  null: () => null,
  undefined: () => undefined,
  string: () => 'secret detail',
  symbol: () => Symbol('secret detail'),
  tostring: () => ({ toString: inner }),
  nothing: () => Object.create(null),
  stack: () => Object.defineProperty(new Error('secret detail'), 'stack', { get: inner }),
  message: () => Object.defineProperty(new Error('secret detail'), 'message', { get: inner }),
  cause: () => Object.defineProperty(new Error('secret detail'), 'cause', { get: inner }),
  inspect: () => ({ [Symbol.for('nodejs.util.inspect.custom')]: inner }),
  proxy: () => new Proxy({}, { get: inner, has: inner, getPrototypeOf: inner, ownKeys: inner }),
  revoked: () => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; },
  circle: () => { const thrown = new Error('secret detail'); return Object.assign(thrown, { cause: thrown }); },
  many: () => new AggregateError([new Error('secret detail'), null, 'text']),
  body: () => { const body = { message: 'once' }; const thrown = error(400, body); Object.assign(body, { self: body }); return thrown; },
};
const later = async (thing) => { await null; throw thing; };
export default get((req) => {
  const thing = things[req.query.what]();
  if ('later' in req.query) return later(thing);
  throw thing;
});`,
);

export const THROWN = [...thrower.matchAll(/^ {2}(\w+): \(\) =>/gm)].map(([, name = '']) => name);
