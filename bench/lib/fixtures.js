/** What every subject answers. Only data: how it is answered is each subject's own code. */

export const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.c29tZS1wYXlsb2Fk.c2lnbmF0dXJl';

export const LOGIN = JSON.stringify({
  username: 'alice@example.com',
  password: 'correct horse battery staple',
  remember: true,
  device: { id: 'c0ffee-1234-5678-9abc-def012345678', os: 'linux', app: '1.42.0' },
  locale: 'en-GB',
});

export const NOT_FOUND = { status: 404, title: 'Not Found', message: 'There is nothing at this address' };

/** 40 resources with five routes each: list, create, read, replace, and a nested read. */
export const RESOURCES = (
  'accounts articles assets audits badges banners books brands carts charges cities claims clients coupons ' +
  'courses devices drafts emails events exports files folders gates grants groups hooks images imports invoices ' +
  'issues items jobs keys labels ledgers locks logs media members notes'
).split(' ');
