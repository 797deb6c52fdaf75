import { headerOf } from '../http/internal.js';
import { shownBody } from './bodies.js';
import { maskHeaders, maskTarget } from './masking.js';
import type { LayerTime, RequestRecord } from './record.js';

export function shownRequest(record: RequestRecord) {
  record.update();
  return {
    id: record.id,
    at: record.at,
    method: record.method,
    target: maskTarget(record.target),
    route: record.route,
    status: record.status,
    duration: rounded(record.duration),
    isAborted: record.isAborted,
    error: record.failure?.traces[0]?.headline,
    lines: record.logged,
  };
}

export function requestDetails(record: RequestRecord) {
  const shown = shownRequest(record);
  const { headers, answerHeaders } = record;
  return {
    ...shown,
    file: record.file,
    ip: record.ip,
    headers: maskHeaders(headers),
    body: record.hasUnrecordedBody
      ? {
          bytes: Number(headerOf(headers, 'content-length') ?? 0),
          note: 'It was not stored: forms, streams and unread bodies are not',
        }
      : shownBody(record.body, headerOf(headers, 'content-type'), headerOf(headers, 'content-encoding')),
    answer: {
      headers: maskHeaders(answerHeaders),
      body: shownBody(
        record.answer,
        headerOf(answerHeaders, 'content-type'),
        headerOf(answerHeaders, 'content-encoding'),
      ),
    },
    layers: shownLayers(record.layers),
    lines: record.lines,
    moreLines: record.logged - record.lines.length,
    failure: record.failure,
    isRepeatable: record.isRepeatable && record.status !== 101,
  };
}

/** Nested layers, outermost first; `own`: milliseconds spent in the layer itself. */
function shownLayers(layers: readonly LayerTime[]) {
  // The chain of middlewares is one layer, and each of its files is another.
  const isChain = (name: string, at: number): boolean =>
    name === 'middlewares' && /\.m?[jt]s$/.test(layers[at + 1]?.name ?? '');
  const shown = layers.filter(({ name }, at) => !isChain(name, at));
  return shown.map(({ name, from, to }, at) => {
    const inner = shown[at + 1];
    const spent = to === undefined ? undefined : to - from;
    const inside = inner?.to === undefined ? 0 : inner.to - inner.from;
    return {
      name,
      from: rounded(from),
      time: rounded(spent),
      own: spent === undefined ? undefined : rounded(Math.max(0, spent - inside)),
    };
  });
}

const rounded = (milliseconds: number | undefined): number | undefined =>
  milliseconds === undefined ? undefined : Math.round(milliseconds * 100) / 100;
