/** The error codes that this package reports, each with its title. */
export interface Codes {
  FWK830: 'queues() is given what it does not take';
  FWK831: 'The broker of queues cannot be reached';
  FWK832: 'A file below queues/ is not a queue';
  FWK833: 'The options of a queue or a job are wrong';
}
