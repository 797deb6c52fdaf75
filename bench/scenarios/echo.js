export default {
  name: 'echo',
  title: 'echo',
  app: 'ws',
  subjects: ['ws', 'fwk'],
  client: 'ws',
  path: '/ws/echo',
  connections: 64,
  senders: 64,
  ahead: 8,
};
