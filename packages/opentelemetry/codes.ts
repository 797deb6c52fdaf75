/** The error codes of this package with their titles. */
export interface Codes {
  FWK851: 'No OpenTelemetry SDK is registered';
}
