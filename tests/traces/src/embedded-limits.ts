const sharedFiles = 'its containers share the files of the machine, including those that control this scenario';

/** By scenario, why a runtime cannot run it. */
export type Limits = Readonly<Record<string, string>>;

/** Why the embedded runtime cannot run a scenario as a runtime with containers does. packages/process-runtime/README.md has its limits. */
export const notOnEmbedded: Limits = {
  'command-not-found': "its error for a missing program differs from runc's",
  'image-missing': 'it pulls no images, and reports that',
  'job-on-failure': sharedFiles,
  'liveness-exec': sharedFiles,
  oom: 'it limits no memory',
  'readiness-flips': sharedFiles,
  resize: 'it does not support resources',
  'startup-probe': sharedFiles,
  'termination-message': 'it has no mounts and therefore no termination log',
};

/** Why it cannot run one for an ordinary user. */
export const notWithoutRoot: Limits = {
  'security-and-resources': 'only root can run its container as user 1000',
  volumes: 'only root can mount its volume in memory, and give its volumes to a group',
};

/** By scenario, the positions of statuses that it makes an agent skip: its sandboxes stop as soon as their containers have terminated. */
export const skippableOnEmbedded: Readonly<Record<string, readonly number[]>> = { 'job-succeeds': [3] };
