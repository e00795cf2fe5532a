import { createHash } from 'node:crypto';
import type { Clock } from '@nodeagent/api';
import type { NodeAgent } from '@nodeagent/core/node';
import type { RejectedManifest } from './rejected-manifests.js';

/** The events after which a list of pods differs. Image pulls and rejected manifests change it without one. */
const podsEvents = ['event', 'status', 'removed', 'runtime', 'cluster'] as const;

/** What has neither, such as the state of certificates, is read again after this time. */
const maxAgeMs = 10_000;

/** Calls the listener after each change of an agent's pods. Returns a function that ends it. */
export function onPodsChange(agent: Pick<NodeAgent, 'on' | 'off'>, listener: () => void): () => void {
  for (const event of podsEvents) agent.on(event, listener);
  return () => {
    for (const event of podsEvents) agent.off(event, listener);
  };
}

export interface PodsVersionOptions {
  agent: Pick<NodeAgent, 'on' | 'off' | 'pulls'>;
  rejected: () => RejectedManifest[];
  clock: Pick<Clock, 'now'>;
}

/** The version of the list of an agent's pods. */
export interface PodsVersion {
  /** An ETag: equal while the list is equal, except for its time. */
  current(): string;
  close(): void;
}

export function createPodsVersion({ agent, rejected, clock }: PodsVersionOptions): PodsVersion {
  // An earlier agent with the same directory had other versions.
  const startedAt = clock.now();
  let changes = 0;
  const close = onPodsChange(agent, () => {
    changes += 1;
  });
  return {
    current() {
      const parts = [startedAt, changes, Math.floor(clock.now() / maxAgeMs), agent.pulls(), rejected()];
      return `"${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}"`;
    },
    close,
  };
}
