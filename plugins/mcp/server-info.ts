import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Project } from '../../kernel/index.js';
import type { Table } from './table/table.js';

/** The server's description of itself and its capabilities (MCP 2025-11-25, Implementation, ServerCapabilities). */
export interface ServerInfo {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  /** For the model: how to use what this server offers. */
  readonly instructions?: string;
  readonly capabilities: Capabilities;
}

interface Capabilities {
  readonly tools?: { readonly listChanged: boolean };
  readonly resources?: { readonly listChanged: boolean; readonly subscribe: boolean };
  readonly prompts?: { readonly listChanged: boolean };
  readonly completions?: Record<string, never>;
  readonly logging?: Record<string, never>;
}

export interface ServerSettings {
  readonly name: string | undefined;
  readonly title: string | undefined;
  readonly instructions: string | undefined;
}

/**
 * Unset names come from package.json. `reloads`: tools, resources and prompts may be added while clients are connected.
 */
export function serverInfo(
  { root }: Project,
  { name, title, instructions }: ServerSettings,
  { tools, resources, templates, prompts }: Table,
  reloads: boolean,
): ServerInfo {
  const own = readManifest(root);
  const listChanged = true;
  const hasResources = resources.size + templates.size > 0;
  return {
    name: name ?? own.name ?? basename(root),
    version: own.version ?? '0.0.0',
    ...(title === undefined ? {} : { title }),
    ...(instructions === undefined ? {} : { instructions }),
    capabilities: {
      ...(reloads || tools.size > 0 ? { tools: { listChanged } } : {}),
      ...(reloads || hasResources ? { resources: { listChanged, subscribe: true } } : {}),
      ...(reloads || prompts.size > 0 ? { prompts: { listChanged } } : {}),
      ...(reloads || hasResources || prompts.size > 0 ? { completions: {} } : {}),
      logging: {},
    },
  };
}

function readManifest(root: string): { name?: string; version?: string } {
  try {
    const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    return {
      ...(typeof name === 'string' ? { name } : {}),
      ...(typeof version === 'string' ? { version } : {}),
    };
  } catch {
    return {};
  }
}
