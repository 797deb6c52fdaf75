import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { listening } from '../harness/http.js';

/** A span as it came, its attributes by their name. */
export interface Span {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly status: { readonly code?: number };
  readonly links?: readonly { readonly spanId: string }[];
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly { readonly attributes: Readonly<Record<string, unknown>> }[];
}

type Attributes = readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];

interface Exported {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<Span, 'attributes' | 'events'> & {
        readonly attributes: Attributes;
        readonly events?: readonly { readonly attributes: Attributes }[];
      })[];
    }[];
  }[];
}

export type Collector = Awaited<ReturnType<typeof collector>>;

/** Takes traces over OTLP/HTTP with JSON. */
export async function collector() {
  const spans: Span[] = [];
  const services = new Set<unknown>();
  let look = (): void => {};
  const server = createServer(async (request, response) => {
    const { resourceSpans } = (await json(request)) as Exported;
    for (const { resource, scopeSpans } of resourceSpans) {
      services.add(valuesOf(resource.attributes)['service.name']);
      for (const span of scopeSpans.flatMap((scope) => scope.spans))
        spans.push({
          ...span,
          attributes: valuesOf(span.attributes),
          events: (span.events ?? []).map(({ attributes }) => ({ attributes: valuesOf(attributes) })),
        });
    }
    response.setHeader('Content-Type', 'application/json').end('{}');
    look();
  });
  const url = await listening(server);
  return {
    url,
    spans,
    services,
    /** Resolves when `done` returns true for the spans received. */
    until: (done: (spans: readonly Span[]) => boolean) =>
      new Promise<void>((resolve) => {
        look = () => void (done(spans) && resolve());
        look();
      }),
    close(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}

const valuesOf = (attributes: Attributes): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
