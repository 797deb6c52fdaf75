export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK101: 'Invalid route path';
    FWK102: 'The file name and the wrapper name different HTTP methods';
    FWK104: 'Missing default export';
    FWK105: 'The default export is not wrapped';
    FWK118: 'A file that fwk does not read';
    FWK121: 'A route that is not the default export';
    FWK208: 'The port is already in use';
    FWK209: 'Cannot listen on this address';
    FWK211: 'Unknown host in development';
    FWK401: 'Invalid route definition';
    FWK402: 'A wrapper needs a function';
    FWK403: 'Invalid value in .meta()';
    FWK404: 'The definition does not match its file';
    FWK408: 'Invalid security header';
    FWK411: 'The response was already sent';
    FWK412: 'Invalid status code';
    FWK413: 'Invalid response header';
    FWK414: 'The result does not match its schema';
    FWK415: 'A template is missing or fails';
    FWK416: 'Cannot send this file or Response';
    FWK417: 'The request body is not available here';
    FWK418: 'A stream yields values that cannot be sent';
    FWK419: 'A schema has values that cannot be sent';
    FWK422: 'A schema has no JSON Schema';
  }
}
