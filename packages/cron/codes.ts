/** The error codes that this package reports, each with its title. */
export interface Codes {
  FWK840: 'A file below cron/ is not a job';
  FWK841: 'A schedule is not one';
  FWK842: 'There is no such job';
}
