/**
 * Converts a KubeletConfiguration to options of this package. A separate entry, because it loads `@nodeagent/kubelet-config`.
 * @packageDocumentation
 */
export {
  type AgentConfiguration,
  type ConfiguredAgentOptions,
  type ConfiguredCertificates,
  type ConfiguredClusterOptions,
  type ConfiguredHttps,
  type ConfiguredRuntime,
  type ConfiguredServer,
  type ConfiguredStaticPods,
  mergeAgentConfigurations,
} from './kubelet-configuration/agent-configuration.js';
export { agentOptionsFrom, type KubeletAgentOptions } from './kubelet-configuration/agent-options-from.js';
