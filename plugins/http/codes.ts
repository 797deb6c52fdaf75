export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK101: 'The path of a file is not one of a route';
    FWK102: 'A file is named for another method than it exports';
    FWK104: 'A module has no default export';
    FWK105: 'A default export is not wrapped';
    FWK208: 'A port is taken';
    FWK209: 'An address cannot be listened on';
    FWK211: 'The development server does not know a host';
    FWK401: 'The definition of a route is not right';
    FWK402: 'A wrapper is given no function';
    FWK403: 'A key of .meta() has a wrong value';
    FWK404: 'A definition does not fit its file';
    FWK408: 'A security header is not right';
    FWK411: 'A response has been sent already';
    FWK412: 'A status is not one';
    FWK413: 'A header cannot be sent';
    FWK414: 'A result does not fit its schema';
    FWK416: 'A file or Response cannot be sent';
    FWK417: 'A body is read in a way that its route does not have';
    FWK418: 'A stream yields what cannot be sent';
    FWK419: 'A schema has dates, which JSON has not';
  }
}
