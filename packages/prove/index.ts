/// <reference types="node" preserve="true" />
export { prove } from './plugin.js';
