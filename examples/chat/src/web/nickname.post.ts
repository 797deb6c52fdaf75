import { post, view } from 'fwkit';
import { z } from 'zod';
import { nicknameOf } from '../lib/nickname.js';
import { isRoom, ROOMS } from '../lib/rooms.js';

const Form = z.object({ nickname: z.string().max(200).default(''), room: z.string().default('') });

export default post({ body: Form }, (req, res, ctx) => {
  const { nickname, room } = req.body;
  const wanted = isRoom(room) ? room : '';
  const name = nicknameOf(nickname);
  if (name === undefined) {
    res.status(422);
    const mistake = 'A nickname has 1 to 24 letters or digits, and begins with one.';
    return view('start', { nickname, rooms: ROOMS, wanted, mistake });
  }
  ctx.visitor.nickname = name;
  return res.redirect(wanted ? `/rooms/${wanted}` : '/', 303);
});
