export default {
  name: 'broadcast',
  title: 'broadcast to 500',
  app: 'ws',
  subjects: ['ws', 'fwk'],
  client: 'ws',
  path: '/ws/room',
  connections: 500,
  senders: 1,
  ahead: 4,
  broadcast: true,
};
