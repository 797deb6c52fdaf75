import type { RequestListener } from 'node:http';
import type { Project, Runtime } from '../../../../kernel/index.js';
import { httpTransportOf } from '../transport.js';

/**
 * Where sources are run: have the pages of development before `listener`, and answer known hosts only, since errors show source
 * code, which a page of another site must not read.
 */
export async function forDevelopment(
  listener: RequestListener,
  runtime: Runtime,
  allowed: readonly string[],
): Promise<RequestListener> {
  const listening = httpTransportOf(runtime);
  if (!listening || !runtime.reloads) return listener;
  const advice = 'If it is, add it to http.devHosts in fwk.config';
  const [{ requireKnownHost }, { withDevPages }] = await Promise.all([
    import('./dev-hosts.js'),
    import('./dev-pages.js'),
  ]);
  const around = await withDevPages(runtime, listener);
  return requireKnownHost({ host: listening.host, allowed, advice }, around);
}

/** Note for the verification of a version that `listener` has answered requests, where versions follow each other. */
export function notingAnswers(
  listener: RequestListener,
  runtime: Runtime,
  project: Project,
): RequestListener {
  if (!runtime.reloads) return listener;
  const { verification } = project.run;
  return (raw, out) => {
    verification.hasAnswered = true;
    listener(raw, out);
  };
}
