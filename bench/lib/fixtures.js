/** The responses that every subject must send. This is data only: each subject has its own code to send it. */

export const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.c29tZS1wYXlsb2Fk.c2lnbmF0dXJl';

export const LOGIN = JSON.stringify({
  username: 'alice@example.com',
  password: 'correct horse battery staple',
  remember: true,
  device: { id: 'c0ffee-1234-5678-9abc-def012345678', os: 'linux', app: '1.42.0' },
  locale: 'en-GB',
});

export const ORDER = JSON.stringify({
  title: 'The Art of Computer Programming',
  author: { name: 'Donald Knuth', email: 'knuth@example.com' },
  tags: ['algorithms', 'classic', 'reference'],
  price: 79.5,
});

export const NOT_FOUND = { status: 404, title: 'Not Found', message: 'There is nothing at this address' };

/** 8 KB as JSON. */
export const LIST = Array.from({ length: 100 }, (_, index) => ({
  id: index + 1,
  name: `Item number ${index + 1}`,
  price: (index + 1) * 3 + 0.5,
  active: index % 2 === 0,
  tag: `group-${index % 7}`,
}));

/** The data of the server-sent events, each sent as JSON. */
export const EVENTS = LIST;

/** The data of views/books.eta; the template has to escape the ampersand and the apostrophe. */
export const BOOKS = Array.from({ length: 20 }, (_, index) => ({
  title: `Tom & Jerry's book ${index + 1}`,
  pages: 100 + index,
}));

/** 40 resources with five routes each: list, create, read, replace, and a nested read. */
export const RESOURCES = (
  'accounts articles assets audits badges banners books brands carts charges cities claims clients coupons ' +
  'courses devices drafts emails events exports files folders gates grants groups hooks images imports invoices ' +
  'issues items jobs keys labels ledgers locks logs media members notes'
).split(' ');

/** The headers of a guarded response, for a page whose origin CORS allows. */
export const GUARDS = {
  'Access-Control-Allow-Origin': 'https://shop.example',
  'Access-Control-Expose-Headers': 'X-Total',
  Vary: 'Origin',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'SAMEORIGIN',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Origin-Agent-Cluster': '?1',
};
