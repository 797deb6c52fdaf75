import { suite } from 'uvu';
import { plant } from './planted.js';

// Forbidden paths: what is planted anywhere in the code of a route is told of it, with the way, and of no other route.

const test = suite('planted paths');

test('each of thirty is named, and of no route that does not reach it', () => plant(30, 3));

test.run();
