export interface Codes {
  FWK851: 'No OpenTelemetry SDK is registered';
}
