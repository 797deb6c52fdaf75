import { del, error } from 'fwkit';
import { Id } from '#notes';

export default del({ params: Id }, ({ params }, _res, { notes }) => {
  if (!notes.remove(params.id)) throw error(404, 'There is no such note.');
});
