import { file, get } from 'fwkit';

/**
 * Sends a file or a range of it, so that an interrupted download can resume. The name in the URL is only for people.
 */
export default get(async (req, res, { drop }) => {
  const found = await drop.find(req.params.id);
  if (!found) return null;
  res.header('X-Robots-Tag', 'noindex');
  // Always a download: the browser never displays it as a page of this site.
  return file(found.id, { root: drop.root, download: found.name, type: 'application/octet-stream' });
});
