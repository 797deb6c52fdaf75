import type { Generation } from '../../kernel/index.js';

export function guidance({ project }: Generation): string {
  const { language } = project;
  const file = (name: string) => project.display(`${name}.${language}`);
  const typed = language === 'ts' ? ' as { name: string; isAdmin: boolean } | null' : '';
  return `## Sessions

\`\`\`${language}
// ${file('di/user')}: ctx.user, JSON, stored per visitor
export default di({ lifetime: 'session', value: () => null${typed} });

// ${file('api/login.post')}. Logout: endSession(req); on all devices: await endSession(req, { user })
export default post({ body: z.object({ name: z.string(), password: z.string() }) }, async (req, res, ctx) => {
  const user = await ctx.users.check(req.body);
  if (!user) throw error(401, 'Wrong name or password');
  renewSession(req, { user: user.name }); // at every login
  ctx.user = user;
}).meta({ rateLimit: { limit: 5, window: 60, count: 'failures' } }); // per IP address, in 60 s
\`\`\`

CSRF protection is on, without tokens.
`;
}
