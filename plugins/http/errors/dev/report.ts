import type { Notice, Project } from '../../../../kernel/index.js';
import { type Explanation, explain } from '../../../../loader/index.js';
import type { HttpRequest } from '../../request/request.js';

export interface Report {
  readonly error: Explanation;
  readonly route: string;
  readonly file: string;
  /** Files of the middlewares around it, outermost first. */
  readonly chain: readonly string[];
  readonly method: string;
  readonly url: string;
  /** Names and values; credentials are redacted. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly outdated: readonly Notice[];
}

export function reportOf(thrown: unknown, req: HttpRequest, project: Project): Report {
  const { route, raw } = req;
  return {
    error: explain(thrown, project.root),
    route: route.label ?? 'none',
    file: route.file === undefined ? 'none' : project.display(route.file),
    chain: (route.chain ?? []).map((file) => project.display(file)),
    method: req.method,
    url: withoutSecrets(raw.url ?? '/'),
    headers: Object.entries(raw.headers).map(([name, value]) => [
      name,
      redacted(name, withoutSecrets(String(value))),
    ]),
    outdated: project.run.staleNotices,
  };
}

const CREDENTIALS = /^(proxy-)?authorization$|^cookie$|token|secret|api[-_]?key|passw/i;

/** A text with what its URLs have as parameters: the value of a credential is redacted. */
const withoutSecrets = (text: string): string =>
  text.replace(
    /([?&])([^=&?#\s]{1,200})=([^&#\s]*)/g,
    (_, mark: string, name: string, value: string) => `${mark}${name}=${redacted(name, value)}`,
  );

/** A page gets into screenshots: of a credential, a few characters are enough to recognise it. */
function redacted(name: string, value: string): string {
  if (!CREDENTIALS.test(name)) return value;
  return `${value.slice(0, Math.min(8, Math.floor(value.length / 3)))}… (${value.length} characters)`;
}
