import { errorMessage, NodeAgentError } from '@nodeagent/api';
import { isObject } from '@nodeagent/api/helpers';
import { cniErrorCodes } from '../errors.js';
import type { CniCommand } from '../types.js';
import type { PluginOutput } from './run-plugin.js';

/** Which call failed. */
export interface FailedCall {
  plugin: string;
  network: string;
  command: CniCommand;
}

/** Codes of the CNI specification. */
export const cniCodes = {
  incompatibleVersion: 1,
  unsupportedField: 2,
  containerUnknown: 3,
  invalidEnvironment: 4,
  ioFailure: 5,
  decodingFailure: 6,
  invalidNetworkConfig: 7,
  tryAgainLater: 11,
  pluginNotAvailable: 50,
  limitedConnectivity: 51,
  internal: 999,
} as const;

/** Codes for which the same call would fail again. */
const permanent: readonly number[] = [
  cniCodes.incompatibleVersion,
  cniCodes.unsupportedField,
  cniCodes.invalidEnvironment,
  cniCodes.decodingFailure,
  cniCodes.invalidNetworkConfig,
];

const maxTextLength = 1_024;
const maxReplyLength = 200;

interface FailureReason {
  /** Of {@link cniCodes}, or of the plugin. */
  code?: number;
  text: string;
}

/** The error of a plugin that exited with a failure: the plugin, its message and code, or without these the end of its log. */
export const pluginFailure = (call: FailedCall, output: PluginOutput): NodeAgentError => failedCall(call, reasonOf(output));

/** The error of a plugin that exited with success but whose reply is invalid: the plugin, the problem and the beginning of the reply. */
export function invalidReply(call: FailedCall, reply: string, problem: unknown): NodeAgentError {
  const shown = reply.trim().slice(0, maxReplyLength);
  const text = shorten(joined(errorMessage(problem), shown));
  return failedCall(call, { code: cniCodes.decodingFailure, text }, problem);
}

function failedCall(call: FailedCall, { code, text }: FailureReason, cause?: unknown): NodeAgentError {
  return new NodeAgentError(cniErrorCodes.pluginFailed, `${failed(call)}: ${text}`, {
    retryable: code === undefined || !permanent.includes(code),
    details: { ...call, ...(code !== undefined && { cniCode: code }) },
    cause,
  });
}

/** The error of a plugin that was killed at its time limit. */
export function pluginTimeout(call: FailedCall, timeoutMs: number): NodeAgentError {
  return new NodeAgentError(cniErrorCodes.pluginTimedOut, `${failed(call)}: no result within ${timeoutMs / 1_000} s`, {
    retryable: true,
    details: { ...call },
    hint: `The plugin "${call.plugin}" hangs; it and its child processes were killed. See the logs of the daemon that it asks.`,
  });
}

const failed = ({ plugin, network, command }: FailedCall) => `plugin type="${plugin}" name="${network}" failed (${command.toLowerCase()})`;

function reasonOf({ exitCode, signal, stdout, stderr, isTooLong }: PluginOutput): FailureReason {
  if (isTooLong) return { code: cniCodes.decodingFailure, text: 'its result is too long' };
  const error = errorOf(stdout);
  if (error !== undefined) return error;
  const end = signal === undefined ? `exit status ${exitCode}` : `killed by ${signal}`;
  const log = shorten(stderr.trim() || stdout.trim());
  return { text: log === '' ? end : `${end}: ${log}` };
}

/** The error that a plugin wrote: `{ cniVersion, code, msg, details }`. */
function errorOf(stdout: string): FailureReason | undefined {
  let value: unknown;
  try {
    value = JSON.parse(stdout);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { code, msg, details } = value;
  const text = joined(msg, details);
  if (text === '' && !Number.isSafeInteger(code)) return undefined;
  return { ...(Number.isSafeInteger(code) && { code: code as number }), text: shorten(text || `error code ${code}`) };
}

const joined = (...texts: unknown[]) => texts.filter((text) => typeof text === 'string' && text !== '').join('; ');

const shorten = (text: string) => (text.length > maxTextLength ? `${text.slice(0, maxTextLength)}...` : text);
