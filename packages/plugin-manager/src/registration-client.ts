import { errorCode, errorMessage, NodeAgentError } from '@nodeagent/api';
import { callPlugin, pluginApiErrorCodes, registrationService } from '@nodeagent/plugin-api';
import { pluginManagerErrorCodes } from './errors.js';
import type { RegistrationClient } from './plugin-handler.js';

const dialTimeoutMs = 10_000;
const getInfoTimeoutMs = 1000;
const notifyTimeoutMs = 5000;

/** Calls the registration service (`pluginregistration.Registration`) on the plugins' sockets. */
export const grpcRegistrationClient: RegistrationClient = {
  async getInfo(socketPath, signal) {
    try {
      return await callPlugin(socketPath, registrationService.getInfo, {}, { timeoutMs: getInfoTimeoutMs, dialTimeoutMs, signal });
    } catch (error) {
      signal.throwIfAborted();
      const what =
        errorCode(error) === pluginApiErrorCodes.dialFailed
          ? `dial failed at socket ${socketPath}`
          : `failed to get plugin info using RPC GetInfo at socket ${socketPath}`;
      throw registrationError(`${what}, err: ${errorMessage(error)}`, error);
    }
  },
  async notifyRegistrationStatus(socketPath, status, signal) {
    const options = { timeoutMs: notifyTimeoutMs, dialTimeoutMs, signal };
    await callPlugin(socketPath, registrationService.notifyRegistrationStatus, status, options);
  },
};

export const registrationError = (message: string, cause?: unknown) =>
  new NodeAgentError(pluginManagerErrorCodes.registrationFailed, `RegisterPlugin error -- ${message}`, { retryable: true, cause });
