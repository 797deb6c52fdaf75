import { option } from '../../contributions/index.js';
import { type BaseRoute, definePlugin, type Plugin, Stage } from '../../kernel/index.js';
import { isHttpRoute, wrapIo } from '../http/index.js';
import type { CodingName } from './encoders.js';

const NAMES: readonly unknown[] = ['zstd', 'br', 'gzip'] satisfies CodingName[];

export const compressionOptions = {
  /** Whether responses are compressed. Set by `compression: true`, or by any other option. */
  enabled: option.boolean(false),
  /** Minimum size of a compressed body, in bytes, if its length is known. */
  threshold: option.integer(1024, { unit: 'bytes' }),
  /** The available codings; the first of several equally accepted ones wins. `zstd` depends on Node. */
  codings: option.custom<readonly CodingName[]>(
    ['zstd', 'br', 'gzip'],
    'a list of "zstd", "br" and "gzip"',
    (value): value is readonly CodingName[] =>
      Array.isArray(value) && value.length > 0 && value.every((name) => NAMES.includes(name)),
  ),
  /** Whether event streams are compressed, with a flush after each event. */
  events: option.boolean(false),
};

/** Compresses responses if `compression` in the config enables it. */
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
        const { withCompression } = await import('./compressing.js');
        wrapIo(project, (io, meta) => (meta.compression === false ? io : withCompression(io, settings)));
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

declare module '../http/request/route-info.js' {
  interface RouteMeta {
    /** `false`: no compression, for example because the response mixes a secret with user input (BREACH). */
    readonly compression?: boolean;
  }
}
