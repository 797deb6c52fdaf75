import { get } from 'fwkit';
import { Account } from '../../lib/account.js';
import { Sentence } from '../../lib/sentence.js';

export default get(
  { title: 'The account that is logged in', response: Account, errors: { 401: Sentence } },
  (_req, _res, ctx) => ctx.member,
);
