/** The error codes of this package with their titles. */
export interface Codes {
  FWK850: 'Cannot serve metrics on this address';
}
