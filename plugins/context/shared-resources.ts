import { observe } from './observed-promise.js';

interface Resource {
  readonly value: unknown;
  readonly end: () => Promise<void>;
  holders: number;
}

/**
 * What services hand on from version to version: a port, a lock, a consumer, of which there can be only one. A resource
 * ends when nothing that asked for it is left.
 */
export class SharedResources {
  readonly #resources = new Map<string, Resource>();

  /**
   * The resource of a name, made by the first who asks for it; and how to let it go. `failed` is told of one that could
   * not be made, where nobody awaits it.
   */
  hold<T>(
    name: string,
    make: () => T,
    destroy: ((value: Awaited<T>) => unknown) | undefined,
    failed: (thrown: unknown) => void,
  ) {
    const resource = this.#resources.get(name) ?? this.#make(name, make, destroy, failed);
    resource.holders += 1;
    const letGo = async (): Promise<void> => {
      resource.holders -= 1;
      if (resource.holders > 0) return;
      this.#drop(name, resource);
      await resource.end();
    };
    // Whoever uses one name uses it for one thing: TypeScript cannot know.
    return { value: resource.value as T, letGo };
  }

  #make<T>(
    name: string,
    make: () => T,
    destroy: ((value: Awaited<T>) => unknown) | undefined,
    failed: (thrown: unknown) => void,
  ): Resource {
    const value = make();
    const observed = observe(value, () => {
      // Whoever asks next has it made again.
      this.#drop(name, resource);
      // One turn later those who await it have asked.
      setImmediate(() => {
        const unhandled = observed?.unhandled();
        if (unhandled) failed(unhandled.thrown);
      });
    });
    const end = async (): Promise<void> => {
      try {
        await value;
      } catch {
        return; // never made: who asked for it has been told
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
