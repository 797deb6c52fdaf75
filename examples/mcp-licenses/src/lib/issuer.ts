/**
 * The issuer of tokens: your OAuth server, such as Keycloak or Auth0. Without one, this server issues them in
 * development.
 */
export const ISSUER = process.env.ISSUER ?? 'http://localhost:3000';
