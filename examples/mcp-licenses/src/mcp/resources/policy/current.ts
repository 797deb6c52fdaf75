import { resource } from 'fwkit/mcp';

export default resource({
  title: 'The policy',
  description:
    'Which licenses the company allows and forbids, by whom, and why. Subscribe to it to hear of decisions.',
  mimeType: 'application/json',
  handler: (_variables, { policy }) => policy.all(),
});
