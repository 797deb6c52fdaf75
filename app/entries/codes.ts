// Every entry exports this file, so `ProblemCode` has all codes for users. The packages in packages/ add theirs when they are imported.
export type {} from '../../cli/codes.js';
export type {} from '../../loader/codes.js';
export type {} from '../../peers/codes.js';
export type {} from '../../plugins/cache/codes.js';
export type {} from '../../plugins/context/codes.js';
export type {} from '../../plugins/cors/codes.js';
export type {} from '../../plugins/csrf/codes.js';
export type {} from '../../plugins/env/codes.js';
export type {} from '../../plugins/http/codes.js';
export type {} from '../../plugins/log/codes.js';
export type {} from '../../plugins/mcp/codes.js';
export type {} from '../../plugins/middlewares/codes.js';
export type {} from '../../plugins/openapi/codes.js';
export type {} from '../../plugins/rate-limit/codes.js';
export type {} from '../../plugins/session/codes.js';
export type {} from '../../plugins/sse/codes.js';
export type {} from '../../plugins/static/codes.js';
export type {} from '../../plugins/typegen/codes.js';
export type {} from '../../plugins/views/codes.js';
export type {} from '../../plugins/ws/codes.js';
export type {} from '../../testkit/codes.js';

declare module '../../kernel/index.js' {
  interface Codes {
    FWK119: 'A misspelled file name';
    FWK120: 'Two paths differ only in case';
    FWK201: 'Unknown key in the config';
    FWK202: 'Invalid option value';
    FWK203: 'The config does not export an object';
    FWK216: 'Clients can forge their address';
    FWK315: 'The app is used after it was closed';
    FWK605: 'Not a project folder';
    FWK701: 'Not a plugin';
    FWK702: 'Two plugins have the same name';
    FWK703: 'Unknown plugin';
    FWK705: 'A plugin needs a newer fwkit';
    FWK708: 'A disabled plugin is needed';
  }
}
