import type { HttpRequest } from '../../http/index.js';

/** This machine, by the names that no other machine answers to. */
const LOCAL: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Name or address, and port (RFC 9110 §7.2): anything more in it would be read as another name by a less strict parser.
 */
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(?::\d*)?$/i;

/**
 * Checks the Host and the Origin of requests, as MCP requires of servers that browsers can reach (Streamable HTTP, Security
 * Warning). A page of another site can have its name resolve to this machine and then talk to it as its own (DNS rebinding);
 * these two headers give it away.
 */
export class AllowedHosts {
  /** In lower case. */
  readonly #configured: readonly string[];
  readonly #isDevelopment: boolean;

  constructor(configured: readonly string[], isDevelopment: boolean) {
    this.#configured = configured.map((name) => name.toLowerCase());
    this.#isDevelopment = isDevelopment;
  }

  /** Says what is wrong with the Host or Origin of a request; undefined if nothing. */
  originOrHostMistake(req: HttpRequest): string | undefined {
    const { origin } = req.headers;
    const mistake = this.hostMistake(req);
    if (mistake !== undefined || origin === undefined || this.#allows(nameInOrigin(origin))) return mistake;
    return `Origin "${origin}" may not ask here. If it may, add its name to mcp.hosts in fwk.config.`;
  }

  /** Says what is wrong with the Host of a request; undefined if nothing. */
  hostMistake({ headers: { host } }: HttpRequest): string | undefined {
    if (this.#allows(nameInHost(host))) return undefined;
    return `Host "${host}" is not one of this server's names. If it is, add it to mcp.hosts in fwk.config.`;
  }

  /**
   * The URL of the endpoint, made of what this server knows of itself: what a token must have been issued for is not
   * for the client to say, who chooses only among the names that are allowed. Names of `mcp.hosts` stand for HTTPS on
   * its own port (RFC 9728 §1.2), and in production for this machine's names too, under which proxies ask.
   */
  endpoint({ headers: { host }, raw: { socket } }: HttpRequest): string {
    const name = nameInHost(host);
    const [first] = this.#configured;
    if (this.#configured.includes(name)) return `https://${name}/mcp`;
    if (first !== undefined && !this.#isDevelopment) return `https://${first}/mcp`;
    const scheme = 'encrypted' in socket && socket.encrypted === true ? 'https' : 'http';
    const { localPort } = socket;
    return new URL(`${scheme}://${name}${localPort === undefined ? '' : `:${localPort}`}/mcp`).href;
  }

  #allows(name: string): boolean {
    return LOCAL.has(name) || this.#configured.includes(name);
  }
}

const nameInHost = (host = ''): string => HOST.exec(host)?.[1]?.toLowerCase() ?? '';

function nameInOrigin(origin: string): string {
  try {
    return new URL(origin).hostname;
  } catch {
    return '';
  }
}
