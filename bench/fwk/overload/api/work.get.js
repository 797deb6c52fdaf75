import { get } from 'fwkit';
import { work } from '../../../overload/work.js';

export default get(() => {
  work(4);
  return { ok: true };
});
