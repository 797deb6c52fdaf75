export interface Codes {
  FWK820: 'Invalid options of postgres()';
  FWK821: 'Cannot connect to PostgreSQL';
  FWK822: 'The database is not encoded in UTF-8';
  FWK823: 'The database lacks the tables of fwk';
}
