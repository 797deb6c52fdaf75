/** The client of a scenario: the module of clients/ that it names, or the one for plain HTTP. */
export const clientOf = ({ client = 'http' }) => import(`../clients/${client}.js`);
