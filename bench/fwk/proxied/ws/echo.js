import { ws } from 'fwkit';

export default ws(({ send, onMessage }) =>
  onMessage((message) => {
    send(message);
  }),
);
