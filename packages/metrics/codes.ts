/** The error codes that this package reports, each with its title. */
export interface Codes {
  FWK850: 'Cannot serve metrics on this address';
}
