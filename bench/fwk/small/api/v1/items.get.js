import { get } from 'fwkit';
import { LIST } from '../../../../lib/fixtures.js';

export default get(() => LIST);
