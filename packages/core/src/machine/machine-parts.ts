import { defaultParts, type PartFactories } from '../components.js';
import { devices } from './parts/devices.js';
import { dynamicResources } from './parts/dynamic-resources.js';
import { podResources } from './parts/pod-resources.js';
import { server } from './parts/server.js';

/** The default factory of each part on this machine: those that open sockets, and for the others those of an agent on any host. */
export const machineParts: PartFactories = { ...defaultParts, devices, podResources, dynamicResources, server };
