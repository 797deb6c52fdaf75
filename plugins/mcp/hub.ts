import { basename } from 'node:path';
import type { Project } from '../../kernel/index.js';
import { readPackage } from '../../loader/index.js';
import type { Peers } from '../../peers/index.js';
import { PAGES } from './apps/pages.js';
import type { Offering } from './calls/client.js';
import type { McpSettings } from './options.js';
import type { Implementation, ServerCapabilities } from './sdk/transport.js';
import { changedLists, type List } from './table/table.js';

export interface Subscriber {
  listChanged(list: List): void;
  resourceChanged(uri: string): void;
}

/** Holds state that outlives versions: the connected clients, and the version that answers them. */
export class Hub {
  readonly #subscribers = new Set<Subscriber>();
  readonly #stopping = new AbortController();
  #offering: Offering | undefined;
  #peers: Peers | undefined;

  constructor(
    readonly info: ServerInfo,
    /** Signs the state that stateless clients carry between rounds; at least 32 bytes. */
    readonly key: Uint8Array | string,
  ) {}

  get offering(): Offering {
    if (!this.#offering) throw new Error('MCP was used before the project was ready to serve');
    return this.#offering;
  }

  /** Aborts when the server stops. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** Let `next` answer from now on, and notify the clients of each list that differs. */
  serve(next: Offering): void {
    const before = this.#offering;
    this.#offering = next;
    if (!before) return;
    for (const list of changedLists(before.table, next.table))
      for (const subscriber of this.#subscribers) subscriber.listChanged(list);
  }

  subscribe(subscriber: Subscriber): () => void {
    this.#subscribers.add(subscriber);
    return () => void this.#subscribers.delete(subscriber);
  }

  /** Also notify clients of other processes, and this process's clients of changes in the others. */
  connect(peers: Peers): void {
    peers.on('mcp.changed', (uri) => void (typeof uri === 'string' && this.#notify(uri)));
    this.#peers = peers;
  }

  resourceChanged(uri: string): void {
    this.#notify(uri);
    this.#peers?.send('mcp.changed', uri);
  }

  #notify(uri: string): void {
    for (const subscriber of this.#subscribers) subscriber.resourceChanged(uri);
  }
}

/** The extension that serves skills (SEP-2640). */
export const SKILLS = 'io.modelcontextprotocol/skills';

/** The server's description of itself, and its capabilities. */
interface ServerInfo extends Implementation {
  /** Explains to the model how to use this server. */
  readonly instructions?: string;
  readonly capabilities: ServerCapabilities;
}

/** Fills in names from package.json. `reloads`: members may be added while clients are connected. */
export function serverInfo(
  { root }: Project,
  { name, title, instructions }: McpSettings,
  { table: { tools, resources, templates, prompts }, skills }: Offering,
  reloads: boolean,
): ServerInfo {
  const own = readPackage(root) ?? {};
  const textOr = (value: unknown, otherwise: string) => (typeof value === 'string' ? value : otherwise);
  const listChanged = true;
  const hasPages = [...tools.values()].some(({ tool }) => tool.view !== undefined);
  const hasResources = resources.size + templates.size > 0;
  const extensions = {
    ...(reloads || skills ? { [SKILLS]: {} } : {}),
    ...(reloads || hasPages ? { [PAGES]: {} } : {}),
  };
  return {
    name: name ?? textOr(own.name, basename(root)),
    version: textOr(own.version, '0.0.0'),
    ...(title === undefined ? {} : { title }),
    ...(instructions === undefined ? {} : { instructions }),
    capabilities: {
      ...(reloads || tools.size > 0 ? { tools: { listChanged } } : {}),
      ...(reloads || hasResources ? { resources: { listChanged, subscribe: true } } : {}),
      ...(reloads || prompts.size > 0 ? { prompts: { listChanged } } : {}),
      ...(reloads || hasResources || prompts.size > 0 ? { completions: {} } : {}),
      logging: {},
      ...(reloads || skills || hasPages ? { extensions } : {}),
    },
  };
}
