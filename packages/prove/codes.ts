/** The error codes that this package reports, each with its title. */
export interface Codes {
  FWK860: 'A policy is wrong';
  FWK861: 'A policy does not hold';
  FWK865: 'A route reaches what it may not';
  FWK866: 'It is not known what changed';
}
