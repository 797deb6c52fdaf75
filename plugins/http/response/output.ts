/** For plugins that change responses: before anything is known of them, or on their way out. */
export { type BodyHead, codesBodies, type Io, isStable, markStable, wrapIo } from '../io/wrap-io.js';
export { addFront, type Front, type FrontHandler, type FrontTools } from '../routing/front.js';
export { type Answer, answers } from './answer.js';
export { chooseCoding } from './content-coding.js';
export { type HeaderList, headerOf, removeHeader } from './headers.js';
export { nonceOf, readNonceOf } from './nonce.js';
export { checkPiece } from './stream.js';
