import { put } from 'fwkit';
import { readFields, readText } from '../../lib/input.js';

export default put((req, _res, ctx) => {
  const { member } = ctx;
  const name = readText(readFields(req.body), 'name', { max: 50 });
  ctx.accounts.rename(member.id, name);
  return { ...member, name };
});
