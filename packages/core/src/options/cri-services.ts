import type { ImageService, RuntimeService } from '@nodeagent/cri-api';

/** The two services of a container runtime: Container Runtime Interface v1. */
export interface CriServices {
  runtime: RuntimeService;
  image: ImageService;
}
