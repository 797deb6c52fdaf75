import { anonymous, everything, mutations, policy, under, visitor } from '@fwkit/prove';

const reader = visitor('a reader', { ctx: { visitor: { id: 2, name: 'Bob', admin: false } } });
const admin = visitor('an admin', { ctx: { visitor: { id: 1, name: 'Ada', admin: true } } });
// The browser of an admin sends cookies even if the request comes from another site.
const otherSite = visitor('a page of another site', {
  headers: { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site', cookie: 'sid=of-the-admin' },
  ctx: { visitor: { id: 1, name: 'Ada', admin: true } },
});

/** The access rules. `fwk prove` tests them with requests, and each build checks the routes. */
export default policy([
  under('api/v1/admin/**').passes('api/v1/admin').refuses(anonymous, reader).admits(admin),
  // Pages: their files, and all routes with URLs below theirs.
  under('web/admin/**').passes('web/admin').refuses(anonymous, reader).admits(admin),
  under('admin/**').passes('web/admin').refuses(anonymous, reader),
  mutations().refuses(otherSite),
  everything().passes('request-log'),
]);
