import { get, view } from 'fwkit';

/** The maximum number of licenses on the page. */
const MAX_SHOWN = 25;

/** The page with the licenses and decisions. */
export default get((req, _res, { licenses, policy }) => {
  const query = (req.query.query ?? '').slice(0, 200);
  const found = licenses.search(query);
  const rows = found.slice(0, MAX_SHOWN).map((license) => ({ ...license, decision: policy.of(license.id) }));
  return view('home', { query, total: found.length, rows, decided: Object.keys(policy.all()).length });
});
