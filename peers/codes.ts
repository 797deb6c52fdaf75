export {};

declare module '../kernel/index.js' {
  interface Codes {
    FWK205: 'A secret is too short';
    FWK207: 'Machines have no secret in common';
    FWK214: 'A setting has no effect';
    FWK410: 'A value has what JSON has not';
    FWK502: 'A message cannot be sent';
    FWK801: 'An app has no name';
    FWK803: 'A memory or lock is given what it cannot take';
  }
}
