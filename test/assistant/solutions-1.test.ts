import { tasksOf } from './parts.js';

const test = tasksOf(0);

test.run();
