import type { FuzzTarget } from './target.js';
import { imageReferences } from './targets/image-references.js';
import { kubeletConfigurations } from './targets/kubelet-configurations.js';
import { manifests } from './targets/manifests.js';
import { pullCredentials } from './targets/pull-credentials.js';
import { quantities } from './targets/quantities.js';

/** All targets, in the order in which they run. */
export const targets: readonly FuzzTarget[] = [manifests, kubeletConfigurations, imageReferences, pullCredentials, quantities];
