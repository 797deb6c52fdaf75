import { queue } from '@fwkit/queue';

export default queue({ concurrency: 20 }, (data) => globalThis.ran(data));
