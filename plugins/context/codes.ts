export {};

declare module '../../kernel/index.js' {
  interface Codes {
    FWK210: 'A logger is not one';
    FWK301: 'A file does not export a provider';
    FWK302: 'Two files provide one key of ctx';
    FWK303: 'Values of ctx read one another in a circle';
    FWK304: 'A singleton reads what lives for less long';
    FWK305: 'A value of ctx cannot be made';
    FWK306: 'A service cannot start';
    FWK307: 'A test overrides what nothing provides';
    FWK308: 'ctx is used after its request';
    FWK309: 'A provider is given what it does not take';
    FWK310: 'A session value is not data';
    FWK311: 'A visitor or session is needed';
    FWK312: 'ctx is used before the app serves';
    FWK314: 'Nothing reads a value of ctx';
  }
}
