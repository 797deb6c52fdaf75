import { error, post } from 'fwkit';
import { TOKEN } from '../../../../lib/fixtures.js';

export default post(({ body }, res) => {
  if (typeof body?.username !== 'string' || typeof body.password !== 'string') throw error(400, 'Bad login');
  res.cookie('token', TOKEN, { httpOnly: true, sameSite: 'lax' });
});
