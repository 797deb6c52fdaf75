export interface Codes {
  FWK830: 'Invalid options of queues()';
  FWK831: 'Cannot connect to the queue broker';
  FWK832: 'The file does not export a queue';
  FWK833: 'Invalid options of a queue or job';
  FWK834: 'The data of a job does not match its schema';
  FWK835: 'The awaited job has failed';
  FWK836: 'The awaited job has no result';
  FWK837: 'Jobs wait in a queue without a file';
  FWK838: 'A job cannot be added in a transaction';
  FWK839: 'The outbox cannot be used';
}
