import { error, service } from 'fwkit';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  exportJWK,
  generateKeyPair,
  jwtVerify,
  SignJWT,
} from 'jose';
import { ISSUER } from '../lib/issuer.js';

const ALGORITHMS = ['EdDSA', 'ES256', 'RS256'];

/** Checks the tokens of an issuer with the keys that it publishes at JWKS_URL. */
export default service(async () => {
  const url = process.env.JWKS_URL;
  if (url === undefined && process.env.NODE_ENV === 'production')
    throw new Error('Set ISSUER and JWKS_URL to the OAuth server whose tokens are valid here.');
  // Keys of this process, for trying the server.
  const own = url === undefined ? await generateKeyPair('EdDSA') : undefined;
  const keys =
    url === undefined
      ? createLocalJWKSet({ keys: own ? [await exportJWK(own.publicKey)] : [] })
      : createRemoteJWKSet(new URL(url));

  return {
    /**
     * Returns the claims of a token for `resource`, or undefined if it isn't valid. Throws 503 if the keys are
     * unavailable.
     */
    async check(token: string, resource: string) {
      try {
        const options = {
          issuer: ISSUER,
          audience: resource,
          algorithms: ALGORITHMS,
          requiredClaims: ['sub', 'exp'],
        };
        const { payload } = await jwtVerify(token, keys, options);
        const scopes = typeof payload.scope === 'string' ? payload.scope.split(' ') : [];
        return { subject: payload.sub ?? '', scopes, expiresAt: payload.exp ?? 0 };
      } catch (cause) {
        if (cause instanceof errors.JOSEError && !(cause instanceof errors.JWKSTimeout)) return undefined;
        throw error(503, 'Cannot fetch the signing keys of the login server. Try again later.');
      }
    },

    /** Issues a token for trying the server; undefined if an external issuer is configured. */
    async issue(subject: string, scope: string, resource: string): Promise<string | undefined> {
      if (!own) return undefined;
      const claims = new SignJWT({ scope }).setProtectedHeader({ alg: 'EdDSA' }).setSubject(subject);
      return claims
        .setIssuer(ISSUER)
        .setAudience(resource)
        .setIssuedAt()
        .setExpirationTime('8h')
        .sign(own.privateKey);
    },
  };
});
