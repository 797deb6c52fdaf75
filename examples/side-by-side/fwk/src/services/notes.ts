import { service } from 'fwkit';
import { Notes } from '#notes';

export default service(() => new Notes());
