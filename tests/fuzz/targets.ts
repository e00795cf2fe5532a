import type { FuzzTarget } from './target.js';
import { apiPatches } from './targets/api-patches.js';
import { apiProtobuf } from './targets/api-protobuf.js';
import { apiSelectors } from './targets/api-selectors.js';
import { apiWebhooks } from './targets/api-webhooks.js';
import { apiYaml } from './targets/api-yaml.js';
import { celExpressions } from './targets/cel-expressions.js';
import { certificateRequests } from './targets/certificate-requests.js';
import { cniTexts } from './targets/cni-texts.js';
import { containerFiles } from './targets/container-files.js';
import { containerLogs } from './targets/container-logs.js';
import { criAnswersTarget } from './targets/cri-answers.js';
import { csiAnswers } from './targets/csi-answers.js';
import { grpcHealth } from './targets/grpc-health.js';
import { headerBlocks } from './targets/header-blocks.js';
import { httpResponses } from './targets/http-responses.js';
import { http2Frames } from './targets/http2-frames.js';
import { imageManifests } from './targets/image-manifests.js';
import { imageReferences } from './targets/image-references.js';
import { kubeletConfigurations } from './targets/kubelet-configurations.js';
import { layers } from './targets/layers.js';
import { manifests } from './targets/manifests.js';
import { pluginRegistration } from './targets/plugin-registration.js';
import { pullCredentials } from './targets/pull-credentials.js';
import { quantities } from './targets/quantities.js';
import { spdyFrames } from './targets/spdy-frames.js';
import { structuralSchemas } from './targets/structural-schemas.js';
import { webSocketFrames } from './targets/websocket-frames.js';
import { whiteouts } from './targets/whiteouts.js';
import { yamlTexts } from './targets/yaml-texts.js';

/** All targets, in the order in which they run. */
export const targets: readonly FuzzTarget[] = [
  manifests,
  yamlTexts,
  kubeletConfigurations,
  containerLogs,
  webSocketFrames,
  spdyFrames,
  http2Frames,
  headerBlocks,
  httpResponses,
  grpcHealth,
  criAnswersTarget,
  pluginRegistration,
  csiAnswers,
  cniTexts,
  containerFiles,
  certificateRequests,
  imageReferences,
  imageManifests,
  layers,
  whiteouts,
  pullCredentials,
  quantities,
  apiProtobuf,
  apiPatches,
  apiSelectors,
  apiYaml,
  apiWebhooks,
  structuralSchemas,
  celExpressions,
];
