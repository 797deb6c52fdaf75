import { get } from 'fwkit';

export default get(async (req, res, { licenses }) => {
  const license = licenses.find(req.params.id);
  if (!license) return null;
  res.type('text');
  return licenses.text(license);
});
