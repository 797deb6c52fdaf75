import type { CloveRequest } from '../http/index.js';

/** This machine, by the names that no other machine answers to. */
const LOCAL = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Who may ask, by the name that the server is asked under and the page that asks. A page of another site can have its
 * name resolve to this machine and then talk to it as its own (DNS rebinding); these two headers give it away.
 */
export class Hosts {
  readonly #allowed: ReadonlySet<string>;

  constructor(configured: readonly string[]) {
    this.#allowed = new Set([...LOCAL, ...configured.map((name) => name.toLowerCase())]);
  }

  /** What is wrong with where a request comes from; undefined if nothing. */
  mistake({ headers: { host, origin } }: CloveRequest): string | undefined {
    if (!this.#allowed.has(hostName(`http://${host}`)))
      return `Host "${host}" is not one of this server's names. If it is, add it to mcp.hosts in fwk.config.`;
    if (origin !== undefined && !this.#allowed.has(hostName(origin)))
      return `Origin "${origin}" may not ask here. If it may, add its name to mcp.hosts in fwk.config.`;
    return undefined;
  }
}

function hostName(url: string): string {
  try {
    return new URL(url).hostname;
  } catch {
    return '';
  }
}
