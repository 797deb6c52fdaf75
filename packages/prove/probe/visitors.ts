import { BootError, type Project } from 'fwkit/plugin';
import { MISTAKE, type Visitor } from '../policy/visitor.js';

/** The headers by which a browser says which page a request comes from. */
const OF_PAGES = ['origin', 'referer', 'sec-fetch-site'];

/** Whether a visitor is a page in somebody's browser. */
export const isPage = ({ headers }: Visitor): boolean => OF_PAGES.some((name) => name in headers);

/**
 * Throws a BootError for a page that brings all that sessions hold: a project without session values has no session, and nothing that
 * guards it against requests of other sites.
 */
export function checkPages(visitors: Iterable<Visitor>, { providers }: Project): void {
  const keys = providers.filter(({ lifetime }) => lifetime === 'session').map(({ key }) => key);
  if (keys.length === 0) return;
  for (const visitor of visitors)
    if (isPage(visitor) && keys.every((key) => key in visitor.ctx))
      throw new BootError({
        message: `visitor(${JSON.stringify(visitor.name)}) is a page, and has ctx.${keys.join(' and ctx.')}, without which there is no session that requests of other sites could use. Let it have what is made of that instead.`,
        code: MISTAKE,
      });
}
