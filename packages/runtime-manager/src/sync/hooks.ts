import type { Container, LifecycleHandler, Pod } from '@nodeagent/api';

/** A lifecycle hook and its container. */
export interface HookRequest {
  pod: Pod;
  container: Container;
  containerId: string;
  handler: LifecycleHandler;
  /** The pod's address, for HTTP hooks without a host; undefined if it has none. Called only when needed. */
  podIp(): Promise<string | undefined>;
}

/** Runs lifecycle hooks: Kubernetes documentation, "Container Lifecycle Hooks". */
export interface HookRunner {
  /** Resolves when the hook has succeeded, rejects with the error if it failed. Rejects at once when `signal` aborts. */
  run(request: HookRequest, signal?: AbortSignal): Promise<void>;
}
