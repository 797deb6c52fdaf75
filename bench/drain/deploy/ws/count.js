import { ws } from 'fwkit';
import { z } from 'zod';

const state = z.object({ count: z.number().default(0) });

export default ws({ state }, ({ state, send, onMessage }) => onMessage(() => send(++state.count)));
