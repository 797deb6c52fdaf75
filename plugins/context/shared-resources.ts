import { setImmediate } from 'node:timers';
import { observe } from './observed-promise.js';

interface Resource {
  readonly value: unknown;
  readonly end: () => Promise<void>;
  holders: number;
}

/**
 * Resources that services hand on from version to version, since there can be only one: a port, a lock, a consumer. A
 * resource ends when nothing that asked for it is left.
 */
export class SharedResources {
  readonly #resources = new Map<string, Resource>();

  /**
   * The resource of a name, made by the first caller, and a function that releases it. `failed` is called for one that
   * could not be made, where no caller awaits it.
   */
  hold<T>(
    name: string,
    make: () => T,
    destroy: ((value: Awaited<T>) => unknown) | undefined,
    failed: (thrown: unknown) => void,
  ) {
    const resource = this.#resources.get(name) ?? this.#make(name, make, destroy, failed);
    resource.holders += 1;
    const release = async (): Promise<void> => {
      resource.holders -= 1;
      if (resource.holders > 0) return;
      this.#drop(name, resource);
      await resource.end();
    };
    // Each name stands for one thing, which TypeScript cannot know.
    return { value: resource.value as T, release };
  }

  #make<T>(
    name: string,
    make: () => T,
    destroy: ((value: Awaited<T>) => unknown) | undefined,
    failed: (thrown: unknown) => void,
  ): Resource {
    const value = make();
    const observed = observe(value, () => {
      // The next caller has it made again.
      this.#drop(name, resource);
      // One turn of the event loop later, callers that await it have called `then`.
      setImmediate(() => {
        const unhandled = observed?.unhandled();
        if (unhandled) failed(unhandled.thrown);
      });
    });
    const end = async (): Promise<void> => {
      try {
        await value;
      } catch {
        return; // never made: the caller got the error
      }
      await destroy?.(await value);
    };
    const resource = { value: observed?.promise ?? value, end, holders: 0 };
    this.#resources.set(name, resource);
    return resource;
  }

  #drop(name: string, resource: Resource): void {
    if (this.#resources.get(name) === resource) this.#resources.delete(name);
  }
}
