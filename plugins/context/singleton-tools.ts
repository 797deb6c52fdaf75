import type { LatePeers } from './late-peers.js';
import type { SingletonTools } from './provider.js';
import type { SharedResources } from './shared-resources.js';
import type { SingletonInstance } from './singleton-instance.js';

/** The tools for the factory of one singleton. */
export const singletonTools = (
  instance: SingletonInstance,
  resources: SharedResources,
  peers: LatePeers,
): SingletonTools => ({
  onDestroy: (close) => instance.onDestroy(close),
  onStart: (begin) => instance.onStart(begin),
  keep: (name, make, destroy) => {
    const failed = (thrown: unknown) => instance.home.failed(instance, `keep("${name}")`, thrown);
    const { value, release } = resources.hold(`${instance.key} ${name}`, make, destroy, failed);
    instance.onDestroy(release);
    return value;
  },
  peers: peers.of({
    onEnd: (end) => instance.onDestroy(end),
    failed: (what, thrown) => instance.home.failed(instance, what, thrown),
  }),
});
