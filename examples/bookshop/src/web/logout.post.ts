import { endSession, post } from 'fwkit';

export default post((req, res) => {
  endSession(req);
  res.redirect('/', 303);
});
