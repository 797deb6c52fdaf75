import { suite } from 'uvu';
import { OneProcess } from '../../peers/index.js';
import { testMachines } from '../../testkit/test-machines.js';
import { contract, refusesWhatIsNone } from './contract.js';

const alone = suite('peers of one process');
const machines = suite('machines of a test');
const [process, machine] = [new OneProcess(), testMachines()];
const [a, b] = [machine(), machine()];
for (const [name, check] of Object.entries(contract)) {
  alone(name, () => check([process, process]));
  machines(name, () => check([a, b]));
}
alone('rejects invalid texts and numbers', () => refusesWhatIsNone([process, process]));
alone.run();
machines.run();
