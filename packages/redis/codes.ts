export interface Codes {
  FWK810: 'Invalid options of redis()';
  FWK811: 'Cannot connect to Redis';
  FWK812: 'Redis denies access';
  FWK813: 'Invalid arguments of a Redis log, room or publisher';
}
