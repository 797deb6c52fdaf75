import { type Project, slotKey } from '../../../kernel/index.js';

/**
 * False: forwarded headers are ignored. True: all of them are trusted. A number: the number of proxies in front of the server.
 * A list: the addresses and networks of the proxies, such as `10.0.0.0/8`.
 */
export type TrustProxy = boolean | number | readonly string[];

/** Options of `http` that other plugins, or code without the options, read. */
interface ProjectSettings {
  trustProxy: TrustProxy;
  /** Whether `error()` is sent as a problem document. */
  problems: boolean;
  /** Whether results and errors are checked against their schemas. */
  checkResponses: boolean;
  /** The deepest nesting that is accepted in JSON from clients. */
  maxJsonDepth: number;
}

const SETTINGS = slotKey<ProjectSettings>('http.settings');

/** Known at `Stage.check`. */
export const httpSettingsOf = (project: Project): ProjectSettings =>
  project.slot(SETTINGS, () => ({
    trustProxy: false,
    problems: false,
    checkResponses: true,
    maxJsonDepth: Number.POSITIVE_INFINITY,
  }));
