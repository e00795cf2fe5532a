import type { Scenario } from './scenario.js';
import { clusterScenarios } from './scenarios/cluster.js';
import { daemonSetScenarios } from './scenarios/daemon-sets.js';
import { deploymentScenarios } from './scenarios/deployments.js';
import { disruptionScenarios } from './scenarios/disruptions.js';
import { cronJobScenarios, jobScenarios } from './scenarios/jobs.js';
import { nodeScenarios } from './scenarios/nodes.js';
import { replicaSetScenarios } from './scenarios/replica-sets.js';
import { schedulingScenarios } from './scenarios/scheduling.js';
import { serviceScenarios } from './scenarios/services.js';
import { statefulSetScenarios } from './scenarios/stateful-sets.js';
import { volumeScenarios } from './scenarios/volumes.js';

export const scenarios: readonly Scenario[] = [
  ...deploymentScenarios,
  ...replicaSetScenarios,
  ...daemonSetScenarios,
  ...statefulSetScenarios,
  ...jobScenarios,
  ...cronJobScenarios,
  ...disruptionScenarios,
  ...serviceScenarios,
  ...volumeScenarios,
  ...clusterScenarios,
  ...nodeScenarios,
  ...schedulingScenarios,
];
