import type { ProbeResult, ProbeUpdate } from '@nodeagent/api';
import type { ProbeType, PublishedResult } from './probe-state.js';

/** The last published results of one probe type, by container. */
export interface ResultStore {
  /** Returns whether the result is new or has changed. Removing a result does not count. */
  publish(podUid: string, published: PublishedResult): boolean;
  get(containerId: string): ProbeResult | undefined;
}

/** Results by container id, in either form: with `<runtime>://` or without. New and changed results are passed to `onChange`. */
export function createResultStore(type: ProbeType, onChange: (update: ProbeUpdate) => void): ResultStore {
  const results = new Map<string, ProbeResult>();
  return {
    publish(podUid, { containerId, result }) {
      const key = bareId(containerId);
      if (result === undefined) {
        results.delete(key);
        return false;
      }
      if (results.get(key) === result) return false;
      results.set(key, result);
      onChange({ type, podUid, containerId, result });
      return true;
    },
    get: (containerId) => results.get(bareId(containerId)),
  };
}

function bareId(containerId: string): string {
  const scheme = containerId.indexOf('://');
  return scheme < 0 ? containerId : containerId.slice(scheme + 3);
}
