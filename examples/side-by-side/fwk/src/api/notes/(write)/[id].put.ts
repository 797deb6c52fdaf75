import { error, put } from 'fwkit';
import { Draft, Id, Note } from '#notes';

export default put({ params: Id, body: Draft, response: Note }, ({ params, body }, _res, { notes }) => {
  const note = notes.replace(params.id, body);
  if (!note) throw error(404, 'There is no such note.');
  return note;
});
