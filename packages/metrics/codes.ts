export interface Codes {
  FWK850: 'Cannot serve metrics on this address';
}
