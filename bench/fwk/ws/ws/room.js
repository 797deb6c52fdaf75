import { ws } from 'fwkit';

export default ws(({ join, publish, onMessage }) => {
  join('all');
  onMessage((message) => publish('all', message));
});
