export {};

declare module '../kernel/index.js' {
  interface Codes {
    FWK205: 'The secret is too short';
    FWK207: 'Several machines need one shared secret';
    FWK214: 'A setting has no effect';
    FWK410: 'A value cannot be serialized as JSON';
    FWK502: 'Cannot send this message';
    FWK801: 'The app has no name';
    FWK803: 'Invalid arguments of a shared memory or lock';
  }
}
