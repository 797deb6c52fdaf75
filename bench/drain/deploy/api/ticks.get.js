import { sse } from 'fwkit';

export default sse(({ send, lastEventId = '0' }) => {
  let id = Number(lastEventId);
  const timer = setInterval(() => {
    id += 1;
    send(id, { id: String(id) });
  }, 50);
  return () => clearInterval(timer);
});
