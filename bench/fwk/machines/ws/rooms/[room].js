import { ws } from 'fwkit';

export default ws(({ params, join, publish, send, onMessage }) => {
  join(params.room);
  onMessage((message) => publish(params.room, message));
  send('joined');
});
