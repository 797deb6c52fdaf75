export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK204: 'A variable of the environment has a wrong value';
  }
}
