import { di } from 'fwkit';

export default di({ lifetime: 'session', value: () => 0 });
