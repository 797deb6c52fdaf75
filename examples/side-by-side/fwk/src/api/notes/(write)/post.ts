import { post } from 'fwkit';
import { Draft, Note } from '#notes';

export default post({ body: Draft, response: { 201: Note } }, ({ body }, res, { notes }) => {
  res.status(201);
  return notes.add(body);
});
