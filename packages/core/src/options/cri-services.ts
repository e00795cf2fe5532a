import type { Startable } from '@nodeagent/api';
import type { ImageService, RuntimeService } from '@nodeagent/cri-api';

/**
 * The two services of a container runtime: Container Runtime Interface v1. A runtime in this process that has `start` and `stop` starts before
 * the agent and stops after it; pass only its two services if it must run on.
 */
export interface CriServices extends Partial<Startable> {
  runtime: RuntimeService;
  image: ImageService;
}
