export interface Codes {
  FWK860: 'Invalid policy';
  FWK861: 'A route violates the policy';
  FWK865: 'A route uses a value that it may not use';
  FWK866: 'Cannot determine which files changed';
}
