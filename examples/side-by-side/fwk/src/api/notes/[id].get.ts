import { error, get } from 'fwkit';
import { Id, Note } from '#notes';

export default get({ params: Id, response: Note }, ({ params }, _res, { notes }) => {
  const note = notes.find(params.id);
  if (!note) throw error(404, 'There is no such note.');
  return note;
});
