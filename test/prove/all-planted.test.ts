import { suite } from 'uvu';
import { plant } from './planted.js';

// As planted, more of them.

const test = suite('120 planted paths');

for (const seed of [5, 9, 40]) test(`each is named, of seed ${seed}`, () => plant(120, seed));

test.run();
