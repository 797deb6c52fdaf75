import type { IncomingMessage, ServerResponse } from 'node:http';
import { discardLater, sendContinue } from '../../body/discard-rest.js';
import type { OpenPages } from '../../errors/dev/page-reload.js';
import { AroundStage, type Layer } from '../serve/around.js';
import { type AdvisedNames, requireKnownHost, strangerTo } from './dev-hosts.js';

export const ADD_NAME = 'If it is, add it to http.devHosts in fwk.config';

/** What is around a version, or around the page of mistakes, in `fwk dev`: a check of the host, and the connections of open error pages. */
export const developmentLayers = (
  names: AdvisedNames,
  pages: OpenPages | undefined,
): readonly (Layer & { readonly name: string })[] => [
  { name: 'http:hosts', stage: AroundStage.host, run: requireKnownHost(names) },
  ...(pages ? [{ name: 'http:pages', stage: AroundStage.pages, run: pages.around }] : []),
];

/** What guards pages of `fwk dev` itself, which are answered around all versions. */
export interface DevAccess {
  /** Why the sender of a request may not see what only its developer may: a sentence without its full stop; else undefined. */
  refusal(raw: IncomingMessage): string | undefined;
  /** Call it before the body of a request is read. */
  beginBody(out: ServerResponse): void;
  /** Call it if a request is answered without its body having been read: a client that sends all of it first would get no answer. */
  discardBody(raw: IncomingMessage, out: ServerResponse): void;
}

export const devAccess = (host: string, allowed: () => readonly string[]): DevAccess => ({
  refusal: (raw) => strangerTo({ host, allowed: allowed() }, raw),
  beginBody: sendContinue,
  discardBody(raw, out) {
    out.shouldKeepAlive = false;
    discardLater(raw, out);
  },
});
