const sharedFiles = 'its containers share the files of the machine, and so the files that this scenario goes by';

/** Why the embedded runtime cannot run a scenario as a runtime with containers does. packages/process-runtime/README.md has its limits. */
export const notOnEmbedded: Readonly<Record<string, string>> = {
  'command-not-found': "what it says of a program that is not there is its own, and not runc's",
  'image-missing': 'it pulls no images, and says so',
  'job-on-failure': sharedFiles,
  'liveness-exec': sharedFiles,
  oom: 'it limits no memory',
  'readiness-flips': sharedFiles,
  resize: 'it has no resources that could be changed',
  'startup-probe': sharedFiles,
  'termination-message': 'it has no mounts, and so no termination log',
};
