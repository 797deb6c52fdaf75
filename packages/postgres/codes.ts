/** The error codes that this package reports, each with its title. */
export interface Codes {
  FWK820: 'postgres() is given what it does not take';
  FWK821: 'PostgreSQL cannot be reached';
  FWK822: 'A database cannot hold all characters';
  FWK823: 'A database has no tables of fwk';
}
