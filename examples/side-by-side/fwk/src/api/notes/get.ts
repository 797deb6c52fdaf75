import { get } from 'fwkit';
import { z } from 'zod';
import { Note } from '#notes';

export default get({ response: z.array(Note) }, (_req, _res, { notes }) => notes.list());
