import type { StatusSink, StatusVersions } from '@nodeagent/api';

/** Prints each new phase of a pod; the agent of a cluster would patch the status in the API server. */
export function createPrintStatusSink(print: (line: string) => void): StatusSink {
  let statuses: StatusVersions | undefined;
  const phases = new Map<string, string | undefined>();
  return {
    async start(versions) {
      statuses = versions;
    },
    statusChanged(uid) {
      const entry = statuses?.versionedStatus(uid);
      if (entry === undefined || entry.status.phase === phases.get(uid)) return;
      phases.set(uid, entry.status.phase);
      print(`${entry.podName} is ${entry.status.phase}`);
    },
    async stop() {},
  };
}
