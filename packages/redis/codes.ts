/** The error codes that this package reports, each with its title. */
export interface Codes {
  FWK810: 'redis() is given what it does not take';
  FWK811: 'Redis cannot be reached';
  FWK812: 'Redis refuses the app';
  FWK813: 'A log, room or publisher of Redis is used wrongly';
}
