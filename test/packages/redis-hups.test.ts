import { withRedis } from '../harness/redis.js';
import { fourHups } from './hups.js';
import { teams } from './redis-teams.js';

const test = teams('workers that are replaced, over Redis');

test('four times new workers, under messages: no gap, none twice', ({ a, b }) => fourHups(a, b));

const tests = withRedis(test);
tests.run();
