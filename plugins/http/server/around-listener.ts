import type { RequestListener } from 'node:http';
import type { Project, Runtime } from '../../../kernel/index.js';
import { httpTransportOf } from './transport.js';

/** Answer known hosts only where errors show source code, which a page of another site must not read. */
export async function requireKnownHosts(
  listener: RequestListener,
  runtime: Runtime,
  allowed: readonly string[],
): Promise<RequestListener> {
  const listening = httpTransportOf(runtime);
  if (!listening || !runtime.reloads) return listener;
  const advice = 'If it is, add it to http.devHosts in fwk.config';
  return (await import('./dev-hosts.js')).requireKnownHost(
    { host: listening.host, allowed, advice },
    listener,
  );
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
