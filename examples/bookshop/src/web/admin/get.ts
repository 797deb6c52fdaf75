import { get, view } from 'fwkit';
import { adminPage } from '../../lib/admin-page.js';

export default get((_req, _res, ctx) => view('admin', adminPage(ctx)));
