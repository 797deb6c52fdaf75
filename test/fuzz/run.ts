import type { Findings } from './findings.js';
import { growthOf, leftOpen, line, type Sample } from './growth.js';
import { Gone, Play } from './play.js';
import { Probe } from './probe.js';
import { randomOf } from './random.js';
import { scenarioOf } from './scenarios/index.js';
import type { State, Subject } from './subject.js';

export interface RunSettings {
  readonly seed: number;
  /** Keeps the bytes of all exchanges. */
  readonly isReplay: boolean;
  readonly connections: number;
  /** Begins a server; called again when one has ended. */
  readonly start: () => Promise<Subject>;
  readonly findings: Findings;
  readonly tell: (line: string) => void;
}

/** After this many crashes the run ends. */
const MOST_STARTS = 10;
/** Milliseconds within which everything that clients left must be gone. */
const SETTLING = 12_000;
/** An exchange that takes longer is given up, in milliseconds. */
const LONGEST = 40_000;

/** One run: exchanges side by side, in rounds; between them, with all connections closed, a look at the server. */
export class Run {
  readonly samples: Sample[] = [];
  exchanges = 0;
  readonly #settings: RunSettings;
  readonly #playing = new Set<Play>();
  readonly #begun = performance.now();
  #subject: Subject | undefined;
  #starts = 0;
  #smuggled = 0;
  /** Exchanges by the ports of their connections. */
  readonly #owners = new Map<number, number>();
  /** Operations that were reported before. */
  #left: ReadonlySet<string> = new Set();

  constructor(settings: RunSettings) {
    this.#settings = settings;
  }

  /** Exchanges for so many seconds, in `rounds` rounds. */
  async fuzz(seconds: number, rounds: number): Promise<void> {
    await this.#revive();
    const probe = new Probe(
      () => this.#subject?.port ?? 0,
      (why) => this.#settings.findings.add('hang', why, [...this.#playing]),
    );
    for (let round = 0; round < rounds && this.#starts <= MOST_STARTS; round += 1) {
      const until = performance.now() + (seconds * 1000) / rounds;
      const next = () => (performance.now() < until ? this.exchanges++ : undefined);
      probe.begin();
      await this.#together(next);
      await probe.stop();
      await this.#look();
    }
    this.#settings.tell(`the slowest probe took ${probe.slowest.toFixed(0)} ms`);
    for (const growth of growthOf(this.samples)) this.#settings.findings.add('growth', growth);
    await this.#end();
  }

  /** Exchanges of an earlier run: one after the other, then side by side. */
  async replay(numbers: readonly number[]): Promise<void> {
    await this.#revive();
    for (const connections of [1, this.#settings.connections]) {
      const left = [...numbers];
      await this.#together(() => left.shift(), connections);
      await this.#look();
    }
    this.exchanges = 2 * numbers.length;
    await this.#end();
  }

  async #together(next: () => number | undefined, connections = this.#settings.connections): Promise<void> {
    const watch = setInterval(() => this.#read(), 200);
    await Promise.all(
      Array.from({ length: connections }, async () => {
        for (let number = next(); number !== undefined; number = next()) await this.#play(number);
      }),
    );
    clearInterval(watch);
  }

  async #play(number: number): Promise<void> {
    const { seed, findings } = this.#settings;
    if (this.#subject?.ended !== undefined) await this.#revive();
    const play = new Play(number, randomOf(seed, number), seed, this.#subject?.port ?? 0);
    this.#playing.add(play);
    const subject = this.#subject;
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LONGEST);
    });
    try {
      await Promise.race([scenarioOf(play)(play), limit]);
    } catch (thrown) {
      if (!(thrown instanceof Gone)) throw thrown;
    }
    clearTimeout(timer);
    for (const { port } of play.links) this.#owners.set(port, number);
    play.finish();
    if (this.#settings.isReplay) findings.keep(play, 'replayed');
    this.#playing.delete(play);
    // Failures that follow from a crash are reported once, with the crash.
    if (subject?.ended === undefined)
      for (const { kind, detail } of play.complaints) findings.add(kind, detail, [play]);
  }

  #reviving: Promise<void> | undefined;

  #revive(): Promise<void> {
    this.#reviving ??= this.#start().finally(() => {
      this.#reviving = undefined;
    });
    return this.#reviving;
  }

  async #start(): Promise<void> {
    this.#starts += 1;
    if (this.#starts > MOST_STARTS) throw new Error(`The server has ended ${MOST_STARTS} times.`);
    this.samples.length = 0;
    this.#smuggled = 0;
    this.#left = new Set();
    const subject = await this.#settings.start();
    subject.onEnd = (how) =>
      this.#settings.findings.add('process ended', `with ${how}:\n${subject.diary.text.slice(-3_000)}`, [
        ...this.#playing,
      ]);
    this.#subject = subject;
  }

  #read(last = false): void {
    for (const entry of this.#subject?.diary.take(last) ?? [])
      this.#settings.findings.add('stderr', entry, [...this.#playing]);
  }

  /** Without connections: checks that nothing is left. */
  async #look(): Promise<void> {
    this.#read(true);
    const begun = performance.now();
    let state: State | undefined;
    do {
      state = await this.#subject?.state();
      if (state === undefined || leftOpen(state, this.#left, this.#owners).length === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    } while (performance.now() - begun < SETTLING);
    const { findings, tell } = this.#settings;
    if (state === undefined) {
      if (this.#subject?.ended === undefined)
        findings.add('hang', 'the process does not answer over its own channel');
      return;
    }
    for (const { what, exchanges } of leftOpen(state, this.#left, this.#owners))
      findings.add(
        'left open',
        `${what}, with all connections closed`,
        exchanges.map((number) => this.#again(number)),
      );
    this.#left = new Set(state.open.map(({ token }) => token));
    for (const by of state.smuggled.slice(this.#smuggled))
      findings.add('smuggled', 'a request in the body of another was answered', [this.#again(Number(by))]);
    this.#smuggled = state.smuggled.length;
    const sample = { seconds: (performance.now() - this.#begun) / 1000, exchanges: this.exchanges, state };
    this.samples.push(sample);
    tell(line(sample));
  }

  #again(number: number): Play {
    const { seed } = this.#settings;
    return new Play(number, randomOf(seed, number), seed, 0);
  }

  async #end(): Promise<void> {
    const subject = this.#subject;
    if (!subject || subject.ended !== undefined) return;
    subject.onEnd = () => {};
    const how = await subject.stop();
    this.#read(true);
    if (how !== '0') this.#settings.findings.add('shutdown', `SIGTERM ended the process with ${how}`);
  }
}
