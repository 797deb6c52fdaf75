import { tasksOf } from './parts.js';

const test = tasksOf(2);

test.run();
