import { anonymous, everything, mutations, policy, under, visitor } from '@fwkit/prove';

const reader = visitor('a reader', { ctx: { visitor: { id: 2, name: 'Bob', admin: false } } });
const admin = visitor('an admin', { ctx: { visitor: { id: 1, name: 'Ada', admin: true } } });
// Her browser sends its cookies along.
const otherSite = visitor('a page of another site', {
  headers: { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site', cookie: 'sid=of-the-admin' },
  ctx: { visitor: { id: 1, name: 'Ada', admin: true } },
});

/** Who may pass where. `fwk prove` tries it, and each build holds the routes to it. */
export default policy([
  under('api/v1/admin/**').passes('api/v1/admin').refuses(anonymous, reader).admits(admin),
  // Pages: their files, and all that answers below their URLs.
  under('web/admin/**').passes('web/admin').refuses(anonymous, reader).admits(admin),
  under('admin/**').passes('web/admin').refuses(anonymous, reader),
  mutations().refuses(otherSite),
  everything().passes('request-log'),
]);
