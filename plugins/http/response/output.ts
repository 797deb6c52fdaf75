/** For plugins that change responses on their way out. */
export { type BodyHead, codesBodies, type Io, isStable, markStable, wrapIo } from '../io/wrap-io.js';
export { type Answer, answers } from './answer.js';
export { chooseCoding } from './content-coding.js';
export { type HeaderList, headerOf, removeHeader } from './headers.js';
export { checkPiece } from './stream.js';
