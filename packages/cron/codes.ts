export {};

declare module 'fwkit/plugin' {
  interface Codes {
    FWK840: 'A file below cron/ is not a job';
    FWK841: 'A schedule is not one';
    FWK842: 'There is no such job';
  }
}
