/** Returns the client of a scenario: the module in clients/ that the scenario names, or the plain HTTP client. */
export const clientOf = ({ client = 'http' }) => import(`../clients/${client}.js`);
