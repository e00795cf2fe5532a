import type { PodSandboxConfig } from '@nodeagent/cri-api';

/**
 * Kills what runs in the cgroup of a container, or of the first process of a sandbox, and removes it. The OCI runtime does so for what it knows;
 * one that was killed while it created a container knows nothing of it. Idempotent.
 */
export type RemoveCgroup = (sandbox: PodSandboxConfig, id: string) => Promise<void>;
