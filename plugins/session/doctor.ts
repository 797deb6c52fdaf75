import type { Examination, Finding } from '../../contributions/index.js';
import { BootError } from '../../kernel/index.js';
import { sessionFiles } from '../context/index.js';
import { givenSecrets, hasSecret, isSecretMentioned, SECRETS } from './secrets.js';

/** Sessions whose cookies cannot be signed in production. */
export function examine({ project, routes }: Examination): Finding[] {
  const [file] = sessionFiles(project);
  if (file === undefined || !routes) return [];
  const secrets = project.slot(SECRETS, () => []);
  try {
    givenSecrets(secrets, process.env.SESSION_SECRET);
  } catch (thrown) {
    if (!(thrown instanceof BootError)) throw thrown;
    return [
      {
        rule: 'session-secret',
        code: 'FWK205',
        message: 'The secret of sessions is too short: the app does not start to serve.',
        fix: thrown.message,
      },
    ];
  }
  if (hasSecret(secrets) || isSecretMentioned(project.root)) return [];
  return [
    {
      rule: 'session-secret',
      code: 'FWK206',
      file: project.display(file),
      message:
        'is stored in a session, but no environment file mentions SESSION_SECRET or FWK_SECRET, one of which production needs.',
      fix: 'Add it to .env.example, without its value.',
      outputs: [{ path: '.env.example', contents: 'SESSION_SECRET=\n', ifExists: 'lines' }],
    },
  ];
}
