import { get, view } from 'fwkit';
import { isRoom, ROOMS } from '../../lib/rooms.js';

export default get((req, res, ctx) => {
  const { room } = req.params;
  if (!isRoom(room)) return null;
  const { nickname } = ctx.visitor;
  if (nickname === '') return res.redirect(`/?room=${room}`, 303);
  return view('room', { room, rooms: ROOMS, nickname });
});
