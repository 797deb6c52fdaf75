/** Who issues tokens: an OAuth server of yours, Keycloak or Auth0 say. Without one, this server does, while it is being developed. */
export const ISSUER = process.env.ISSUER ?? 'http://localhost:3000';
