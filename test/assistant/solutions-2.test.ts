import { tasksOf } from './parts.js';

const test = tasksOf(1);

test.run();
