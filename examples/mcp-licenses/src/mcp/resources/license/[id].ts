import { resource } from 'fwkit/mcp';

export default resource({
  title: 'Text of a license',
  description: 'The full text of a license, by its SPDX identifier.',
  mimeType: 'text/plain',
  complete: { id: (prefix, { licenses }) => licenses.beginningWith(prefix) },
  // Popular licenses. Clients can also read all others.
  list: ({ licenses }) =>
    licenses
      .search('', true)
      .map(({ id, name }) => ({ uri: `license://${id}`, name: id, title: name, mimeType: 'text/plain' })),
  async handler({ id = '' }, { licenses }) {
    const license = licenses.find(id);
    return license ? licenses.text(license) : null;
  },
});
