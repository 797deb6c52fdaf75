export interface Codes {
  FWK840: 'The file does not export a cron job';
  FWK841: 'Invalid cron schedule';
  FWK842: 'Unknown cron job';
}
