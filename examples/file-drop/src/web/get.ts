import { get, view } from 'fwkit';
import { homePage } from '../lib/home-page.js';

export default get(async (_req, _res, ctx) => view('home', await homePage(ctx)));
