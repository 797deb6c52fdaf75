import type { Project } from '../../kernel/index.js';
import type { Inbox } from './inbox.js';

/** The versions that answer requests while they are verified, and the messages that wait for the outcome. */
export class UnverifiedVersions {
  readonly #projects = new Set<Project>();
  readonly #held = new Set<Inbox>();

  get isEmpty(): boolean {
    return this.#projects.size === 0;
  }

  has(project: Project): boolean {
    return this.#projects.has(project);
  }

  add(project: Project): void {
    this.#projects.add(project);
  }

  delete(project: Project): void {
    this.#projects.delete(project);
  }

  /** Have messages wait as long as any version is being verified. */
  hold(inbox: Inbox): void {
    if (!this.isEmpty) this.#held.add(inbox.hold());
  }

  /** Nothing is being verified any more: messages go on. */
  release(): void {
    this.#projects.clear();
    for (const inbox of this.#held) inbox.release();
    this.#held.clear();
  }
}
