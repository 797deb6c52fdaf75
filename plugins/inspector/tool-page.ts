import type { IncomingHttpHeaders } from 'node:http';
import { isObject } from '../../kernel/index.js';
import { type AppAddress, callOf, Refusal, send } from './caller.js';

/** Maximum size of a page that a tool has of its own, in bytes. */
const MAX_PAGE_BYTES = 8_388_608;
const VERSION = '2026-07-28';
const META = 'io.modelcontextprotocol/';

/** The page of an MCP tool, read from the app's own endpoint, and the policy that a host sets for it (SEP-1865). */
export async function viewOf(
  uri: string,
  { host = 'localhost', cookie }: IncomingHttpHeaders,
  door: AppAddress,
) {
  const _meta = { [`${META}protocolVersion`]: VERSION, [`${META}clientCapabilities`]: {} };
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': VERSION,
    'mcp-method': 'resources/read',
    'mcp-name': uri,
    ...(cookie === undefined ? {} : { cookie }),
  };
  const body = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri, _meta } };
  const call = callOf({ method: 'POST', path: '/mcp', headers, body }, host);
  const answer = await send(call, door, MAX_PAGE_BYTES);
  const [contents] = contentsIn(answer.body.bytes.toString());
  if (!isObject(contents) || typeof contents.text !== 'string') throw new Refusal('This page cannot be read');
  return { html: contents.text, policy: policyOf(Object(Object(contents._meta).ui).csp) };
}

function contentsIn(text: string): readonly unknown[] {
  try {
    const { contents } = Object(JSON.parse(text).result);
    return Array.isArray(contents) ? contents : [];
  } catch {
    return [];
  }
}

function policyOf(given: unknown): string {
  const domains = (key: string): string => {
    const list: unknown = Object(given)[key];
    return Array.isArray(list) ? list.join(' ') : '';
  };
  const own = domains('resourceDomains');
  return [
    'sandbox allow-scripts',
    "default-src 'none'",
    `script-src 'unsafe-inline' ${own}`,
    `style-src 'unsafe-inline' ${own}`,
    `img-src data: ${own}`,
    `font-src data: ${own}`,
    `media-src data: ${own}`,
    `connect-src ${domains('connectDomains') || "'none'"}`,
    `frame-src ${domains('frameDomains') || "'none'"}`,
    `base-uri ${domains('baseUriDomains') || "'none'"}`,
  ].join('; ');
}
