import { alarmed } from '../alarmed.js';
import type { Subject } from '../subject.js';

export async function check(subject: Subject): Promise<readonly string[]> {
  const [first, second] = [subject.claims(), subject.claims()].map((claims) => JSON.stringify(claims));
  if (first !== second)
    return [`It claims ${first} at first, and then ${second}. Claims are the same each time.`];
  const { folder, imported } = alarmed(subject);
  const found = () => JSON.stringify(subject.open({ folder }).entries());
  const [once, twice] = [found(), found()];
  const findings = once === twice ? [] : [`It finds ${once} at first, and then ${twice}.`];
  return [...findings, ...(await imported()).map((file) => `It imports ${file} to find files.`)];
}
