export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK204: 'Invalid environment variable';
  }
}
