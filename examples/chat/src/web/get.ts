import { get, view } from 'fwkit';
import { isRoom, ROOMS } from '../lib/rooms.js';

/** The start page: a nickname, and the rooms. */
export default get((req, _res, ctx) => {
  const { nickname } = ctx.visitor;
  const wanted = req.query.room ?? '';
  return view('start', { nickname, rooms: ROOMS, wanted: isRoom(wanted) ? wanted : '', mistake: '' });
});
