import { get, view } from 'fwkit';

export default get((_req, _res, ctx) => view('login', { visitor: ctx.visitor, email: '' }));
