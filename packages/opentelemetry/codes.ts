/** The error codes that this package reports, each with its title. */
export interface Codes {
  FWK851: 'No OpenTelemetry SDK is registered';
}
