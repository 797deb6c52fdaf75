import type { Brief } from '../../contributions/index.js';
import type { Generation } from '../../kernel/index.js';

/** Sessions in a few lines. */
export function brief({ project }: Generation): Brief {
  const file = (name: string) => project.display(`${name}.${project.language}`);
  const typed = project.language === 'ts' ? ' as User | null' : '';
  return {
    examples: [
      `// ${file('di/user')}: ctx.user, JSON, kept per visitor between requests
export default di({ lifetime: 'session', value: () => null${typed} });
// login: renewSession(req); ctx.user = { name, isAdmin: false }; logout: endSession(req);  both from 'fwkit'`,
    ],
    mistakes: ['a login without `renewSession(req)`'],
  };
}
