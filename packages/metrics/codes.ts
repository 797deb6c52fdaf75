export {};

declare module 'fwkit/plugin' {
  interface Codes {
    FWK850: 'Metrics cannot be served there';
  }
}
