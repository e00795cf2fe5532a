import { isExtendedResource, quoteText } from '@nodeagent/api/helpers';
import { devicePluginRegistrationService, type PluginServer, served, servePlugin } from '@nodeagent/plugin-api';
import { endpointPath } from './plugin-folder.js';
import { registrationError } from './registration-error.js';

const version = 'v1beta1';

/** Registers device plugins that the plugin manager finds: the handler of plugins of type `DevicePlugin`. */
export interface DevicePluginRegistration {
  /** Throws if the plugin supports another version only, or its resource belongs to Kubernetes, such as `cpu`. */
  validate(name: string, endpoint: string, versions: readonly string[]): void;
  /** Connects the plugin. `name` is its resource. */
  register(name: string, endpoint: string, versions: readonly string[], signal: AbortSignal): Promise<void>;
  deregister(name: string, endpoint: string, signal: AbortSignal): Promise<void>;
}

/** Connects the plugin of a resource. */
export type ConnectPlugin = (resource: string, socketPath: string, signal: AbortSignal) => Promise<void>;

export function devicePluginRegistration(connect: ConnectPlugin, disconnect: (resource: string) => void): DevicePluginRegistration {
  return {
    validate(name, _endpoint, versions) {
      if (!isExtendedResource(name)) throw invalidResource(name);
      if (versions.includes(version)) return;
      throw registrationError(`manager version, ${version}, is not among plugin supported versions [${versions.join(' ')}]`);
    },
    register: (name, endpoint, _versions, signal) => connect(name, endpoint, signal),
    deregister: async (name) => disconnect(name),
  };
}

const invalidResource = (name: string) => registrationError(`the ResourceName ${quoteText(name)} is invalid`);

/** A registration is three short strings and two flags; 100 calls of a connection may be incomplete at a time. */
const maxReceiveMessageBytes = 64 * 1024;

/** Serves `kubelet.sock`. The options that a plugin sends are ignored, as in the kubelet: it is asked for them. */
export function serveDeviceRegistration(
  pluginDir: string,
  { connect, counted }: { connect: ConnectPlugin; counted(resource: string): void },
): Promise<PluginServer> {
  const registration = served(devicePluginRegistrationService, {
    async register({ version: requested, endpoint, resourceName }, signal) {
      counted(resourceName);
      if (requested !== version) {
        throw registrationError(
          `requested API version ${quoteText(requested)} is not supported by kubelet. Supported version is ["${version}"]`,
        );
      }
      if (!isExtendedResource(resourceName)) throw invalidResource(resourceName);
      await connect(resourceName, endpointPath(pluginDir, endpoint), signal);
      return {};
    },
  });
  return servePlugin(`${pluginDir}/kubelet.sock`, [registration], { maxReceiveMessageBytes });
}
