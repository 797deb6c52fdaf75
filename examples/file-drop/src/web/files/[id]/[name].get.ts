import { file, get } from 'fwkit';

/** A file, whole or a range of it: a download that broke off goes on where it was. The name in the URL is for people. */
export default get(async (req, res, { drop }) => {
  const found = await drop.find(req.params.id);
  if (!found) return null;
  res.header('X-Robots-Tag', 'noindex');
  // Never shown by a browser as a page of this site: whatever it is, it is saved.
  return file(found.id, { root: drop.root, download: found.name, type: 'application/octet-stream' });
});
