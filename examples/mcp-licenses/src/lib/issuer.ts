/**
 * The issuer of tokens: your OAuth server, such as Keycloak or Auth0. If it isn't set, this server issues tokens itself
 * in development.
 */
export const ISSUER = process.env.ISSUER ?? 'http://localhost:3000';
