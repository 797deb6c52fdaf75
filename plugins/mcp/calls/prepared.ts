import type { CallContext } from './call-context.js';
import type { Outcome } from './outcome.js';

/** Calls that have run already, whose answers alone are to be made: each by its context, and what gives or throws its outcome. */
const prepared = new WeakMap<CallContext, () => Outcome>();

export const prepare = (context: CallContext, outcome: () => Outcome): void =>
  void prepared.set(context, outcome);

/** The outcome of a call that has run already; undefined where it is still to be run. */
export const preparedOutcome = (context: CallContext): Outcome | undefined => prepared.get(context)?.();
