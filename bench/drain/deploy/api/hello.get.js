import { get } from 'fwkit';

export default get(() => 'hello');
