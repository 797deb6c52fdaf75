import type { IncomingMessage, ServerResponse } from 'node:http';
import { discardLater, sendContinue } from '../../body/discard-rest.js';
import type { OpenPages } from '../../errors/dev/page-reload.js';
import { AroundStage, type Layer } from '../serve/around.js';
import { type AdvisedNames, refusalReason, requireKnownHost } from './dev-hosts.js';

export const ADD_NAME = 'To allow it, add it to http.devHosts in fwk.config';

/** The layers around a version, or around the page of mistakes, in `fwk dev`: a host check, and the connections of open error pages. */
export const developmentLayers = (
  names: AdvisedNames,
  pages: OpenPages | undefined,
): readonly (Layer & { readonly name: string })[] => [
  { name: 'http:hosts', stage: AroundStage.host, run: requireKnownHost(names) },
  ...(pages ? [{ name: 'http:pages', stage: AroundStage.pages, run: pages.around }] : []),
];

/** Access control for the pages of `fwk dev` itself, which are served independently of the project's version. */
export interface DevAccess {
  /** Why to reject a request for a developer's page: a sentence without full stop; undefined if allowed. */
  refusal(raw: IncomingMessage): string | undefined;
  /** Call this before reading the body of a request. */
  beginBody(out: ServerResponse): void;
  /** Call this if a body stays unread: a client that sends all of it first would get no response. */
  discardBody(raw: IncomingMessage, out: ServerResponse): void;
}

export const devAccess = (host: string, allowed: () => readonly string[]): DevAccess => ({
  refusal: (raw) => refusalReason({ host, allowed: allowed() }, raw),
  beginBody: sendContinue,
  discardBody(raw, out) {
    out.shouldKeepAlive = false;
    discardLater(raw, out);
  },
});
