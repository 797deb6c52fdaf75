import type { Project } from '../../kernel/index.js';
import type { Inbox } from './inbox.js';

/** Projects whose code answers requests, but does not serve for good yet, and the messages that wait for that. */
export class Trials {
  readonly #projects = new Set<Project>();
  readonly #held = new Set<Inbox>();

  get isOn(): boolean {
    return this.#projects.size > 0;
  }

  has(project: Project): boolean {
    return this.#projects.has(project);
  }

  begin(project: Project): void {
    this.#projects.add(project);
  }

  end(project: Project): void {
    this.#projects.delete(project);
  }

  /** Have messages wait as long as any trial is on. */
  hold(inbox: Inbox): void {
    if (this.isOn) this.#held.add(inbox.hold());
  }

  /** No trial is on any more: messages go on. */
  release(): void {
    this.#projects.clear();
    for (const inbox of this.#held) inbox.release();
    this.#held.clear();
  }
}
