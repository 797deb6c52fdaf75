import { di } from 'fwkit';

/** Messages for the next page that the visitor sees. */
export default di({ lifetime: 'session', value: (): string[] => [] });
