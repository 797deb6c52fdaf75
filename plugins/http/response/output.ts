import { onDemand } from '../../../kernel/index.js';

/** For plugins that change responses: before anything is known of them, or on their way out. */
export {
  type BodyHead,
  type BodyObserver,
  codesBodies,
  type Io,
  isStable,
  markStable,
  observeBodies,
  wrapIo,
} from '../io/wrap-io.js';
export { addFront, type Front, type FrontHandler, type FrontTools } from '../routing/front.js';
export { type Answer, type AnswerResult, answers } from './answer.js';
export { chooseCoding } from './content-coding.js';
export { type HeaderList, headerOf, removeHeader } from './headers.js';
export { nonceOf, readNonceOf } from './nonce.js';
/** Runs handlers for nobody in particular. Loaded when it is first needed. */
export const detached = onDemand(() => import('../server/listen/detached.js'));
export type { Detached } from '../server/listen/detached.js';
export { checkPiece } from './stream.js';
