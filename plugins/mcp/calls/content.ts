import { coded, isObject } from '../../../kernel/index.js';
/** A piece of content for a model or a person (MCP 2025-11-25, ContentBlock). */
export type ContentBlock = { readonly type: string };

/** The type of each required member of a block. */
const BLOCKS: ReadonlyMap<unknown, Readonly<Record<string, string>>> = new Map([
  ['text', { text: 'string' }],
  ['image', { data: 'string', mimeType: 'string' }],
  ['audio', { data: 'string', mimeType: 'string' }],
  ['resource', { resource: 'object' }],
  ['resource_link', { uri: 'string', name: 'string' }],
]);

export const isBlock = (value: unknown): value is ContentBlock => {
  if (!isObject(value)) return false;
  const required = Object.entries(BLOCKS.get(value.type) ?? { type: 'none' });
  return required.every(([key, type]) => typeof value[key] === type && value[key] !== null);
};

/** The result of tools/call for a handler's return value. Throws TypeError if it cannot be sent. */
export function toolResult(value: unknown): Record<string, unknown> {
  if (isObject(value) && Array.isArray(value.content) && value.content.every(isBlock)) return value;
  return { content: blocksOf(value) };
}

/** The result of prompts/get for a handler's return value. */
export function promptResult(value: unknown, description: string | undefined): Record<string, unknown> {
  const about = description === undefined ? {} : { description };
  if (isObject(value) && Array.isArray(value.messages)) return { ...about, ...value };
  const given = Array.isArray(value) ? value : [value];
  const messages = given.flatMap((one) =>
    isObject(one) && typeof one.role === 'string'
      ? blocksOf(one.content).map((content) => ({ role: one.role, content }))
      : blocksOf(one).map((content) => ({ role: 'user', content })),
  );
  return { ...about, messages };
}

/** The result of resources/read for a handler's return value; undefined if the resource does not exist. */
export function resourceResult(
  value: unknown,
  uri: string,
  mimeType: string | undefined,
): Record<string, unknown> | undefined {
  if (value === undefined || value === null) return undefined;
  if (isObject(value) && Array.isArray(value.contents)) return value;
  const parts = Array.isArray(value) && value.length > 0 && value.every(isContents) ? value : [value];
  return { contents: parts.map((one) => contentsOf(one, uri, mimeType)) };
}

const isContents = (value: unknown): boolean =>
  isObject(value) && (typeof value.text === 'string' || typeof value.blob === 'string') && 'uri' in value;

function contentsOf(value: unknown, uri: string, mimeType: string | undefined): Record<string, unknown> {
  if (isContents(value)) return { uri, ...(mimeType === undefined ? {} : { mimeType }), ...Object(value) };
  if (typeof value === 'string') return { uri, mimeType: mimeType ?? 'text/plain', text: value };
  if (value instanceof Uint8Array)
    return { uri, mimeType: mimeType ?? 'application/octet-stream', blob: base64(value) };
  return { uri, mimeType: mimeType ?? 'application/json', text: jsonOf(value) };
}

function blocksOf(value: unknown): readonly ContentBlock[] {
  if (value === undefined || value === null) return [];
  if (isBlock(value)) return [value];
  if (Array.isArray(value) && value.length > 0 && value.every(isBlock)) return value;
  return [text(typeof value === 'string' ? value : jsonOf(value))];
}

export const text = (content: string): ContentBlock & { readonly text: string } => ({
  type: 'text',
  text: content,
});

function jsonOf(value: unknown): string {
  const advice = 'bytes have no meaning for a model: return a block { type: "image", data, mimeType }';
  if (value instanceof Uint8Array) throw coded('FWK410', advice);
  const json = JSON.stringify(value);
  if (json === undefined) throw coded('FWK410', `a ${typeof value} cannot be sent`);
  return json;
}

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
