import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatFor, readableFormatFor } from '../../../../plugins/http/request/accept.js';

const test = suite('accept');

// Accept header, the form in production, and the form of an unexpected error in development.
const cases: readonly (readonly [accept: string | undefined, form: string, readable: string])[] = [
  [undefined, 'json', 'json'],
  ['*/*', 'json', 'text'],
  ['text/plain', 'json', 'text'],
  ['', 'json', 'text'],
  ['application/json', 'json', 'json'],
  ['application/problem+json', 'json', 'json'],
  ['application/json, text/plain, */*', 'json', 'json'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8', 'html', 'html'],
  ['text/html', 'html', 'html'],
  ['text/*', 'html', 'html'],
  ['text/html, */*', 'html', 'html'],
  ['text/html, application/json', 'json', 'json'],
  ['text/html;q=0.5, application/json;q=0.4', 'html', 'html'],
  ['text/html;q=0.5, application/json;q=0.6', 'json', 'json'],
  ['text/html;q=0, */*', 'json', 'text'],
  ['text/*;q=0.9, text/html;q=0.1, application/*;q=0.5', 'json', 'text'],
  ['TEXT/HTML ; level=1 ; Q=1, application/json;q=0.9', 'html', 'html'],
  ['text/html;q=nonsense, application/json;q=0.1', 'json', 'json'],
  [',;,=;q', 'json', 'text'],
];

for (const [accept, form, readable] of cases) {
  test(`${accept}`, () => {
    const headers = accept === undefined ? {} : { accept };
    assert.is(formatFor(headers), form);
    assert.is(readableFormatFor(headers), readable);
  });
}

test('fetch() gets the response of a program, also in a browser', () => {
  assert.is(readableFormatFor({ accept: '*/*', 'sec-fetch-mode': 'cors' }), 'json');
  assert.is(readableFormatFor({ accept: 'text/html', 'sec-fetch-mode': 'navigate' }), 'html');
});

test.run();
