import { post } from 'fwkit';
import { ORDER } from '../../../../lib/schemas.js';

export default post({ body: ORDER }, ({ body }) => ({ title: body.title, price: body.price }));
