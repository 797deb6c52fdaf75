export {};

declare module 'fwkit/plugin' {
  interface Codes {
    FWK851: 'Nothing takes the traces';
  }
}
