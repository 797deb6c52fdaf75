import { option } from '../../contributions/index.js';
import { type BaseRoute, definePlugin, type Plugin, Stage } from '../../kernel/index.js';
import { isHttpRoute, wrapIo } from '../http/index.js';
import type { CodingName } from './encoders.js';

const NAMES: readonly unknown[] = ['zstd', 'br', 'gzip'] satisfies CodingName[];

export const compressionOptions = {
  /** Whether responses are compressed. `compression: true`, or another of its options, says so. */
  enabled: option.boolean(false),
  /** Bytes from which a body is compressed, where its length is known. */
  threshold: option.whole(1024, { unit: 'bytes' }),
  /** The codings that there are; of those that a client wants alike, the first one. Node may not have `zstd`: then it is left out. */
  codings: option.custom<readonly CodingName[]>(
    ['zstd', 'br', 'gzip'],
    'a list of "zstd", "br" and "gzip"',
    (value): value is readonly CodingName[] =>
      Array.isArray(value) && value.length > 0 && value.every((name) => NAMES.includes(name)),
  ),
  /** Whether event streams are compressed, each event by itself. */
  events: option.boolean(false),
};

/** Compresses responses, where `compression` in the config says so. */
export function compression(): Plugin {
  return definePlugin({
    name: 'compression',
    needs: ['http'],
    options: compressionOptions,
    apply(hooks, { enabled, ...settings }) {
      hooks.resolve.tapPromise({ name: 'compression', stage: Stage.check }, async (routes, project) => {
        for (const route of routes) {
          const mistake = mistakeIn(route);
          if (mistake !== undefined) project.report(route.file, mistake, 'FWK403');
        }
        return routes;
      });

      hooks.serve.tapPromise('compression', async ({ project }) => {
        if (!enabled) return;
        const { compressing } = await import('./compressing.js');
        wrapIo(project, (io, meta) => (meta.compression === false ? io : compressing(io, settings)));
      });
    },
  });
}

function mistakeIn(route: BaseRoute): string | undefined {
  if (!isHttpRoute(route)) return undefined;
  const given: unknown = route.meta.compression;
  return given === undefined || typeof given === 'boolean'
    ? undefined
    : `has .meta({ compression: ${JSON.stringify(given)} }). Make it true or false, or leave it out.`;
}

// Where it is declared: added to by way of an index, a project's own additions to it are lost (TypeScript 7.0).
declare module '../http/request/route-info.js' {
  interface RouteMeta {
    /** `false`: its responses are not compressed, as where they hold a secret beside what a visitor wrote (BREACH). */
    readonly compression?: boolean;
  }
}
