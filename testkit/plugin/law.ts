import { explained } from '../test-error.js';
import type { Subject } from './subject.js';

/** Tries one law. Resolves with a sentence for each way in which it is broken; what it rejects with is one, too. */
export type Check = (subject: Subject) => Promise<readonly string[]>;

/** A law that a plugin breaks. */
export interface BrokenLaw {
  /** `close`. */
  readonly law: string;
  /** The demand, completing "a plugin …": `ends all that it began when the app closes`. */
  readonly says: string;
  /** One sentence for each way in which it is broken. */
  readonly findings: readonly string[];
}

/** A plugin breaks laws. The message lists all of them, with what was found. */
export class PluginLawError extends Error {
  override readonly name = 'PluginLawError';
  readonly code = 'FWK908';
  readonly plugin: string;
  readonly broken: readonly BrokenLaw[];

  constructor(plugin: string, broken: readonly BrokenLaw[]) {
    const count = broken.length === 1 ? 'a law' : `${broken.length} laws`;
    const list = broken.map(
      ({ law, says, findings }) =>
        `${law}: a plugin ${says}\n${findings.map((finding) => `  - ${finding}`).join('\n')}`,
    );
    super(explained('FWK908', `Plugin "${plugin}" breaks ${count}:\n\n${list.join('\n\n')}\n`));
    this.plugin = plugin;
    this.broken = broken;
  }
}
