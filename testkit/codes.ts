export {};

declare module '../kernel/index.js' {
  interface Codes {
    FWK901: 'A test gives an option that cannot be';
    FWK902: 'A test clock is given no date or duration';
    FWK903: 'A test waits for what does not come';
    FWK904: 'A connection of a test has ended';
    FWK905: 'A test is refused what it asks for';
    FWK906: 'A call of MCP in a test fails';
    FWK907: 'An app that is closed has left something open';
    FWK908: 'A plugin breaks a law';
  }
}
