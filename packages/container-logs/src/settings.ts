import { errorMessage, invalidOptionText, Quantity } from '@nodeagent/api';

/** Settings by their KubeletConfiguration names and with its defaults; times in milliseconds. */
export interface LogRotatorSettings {
  /** Size of a log from which on it is rotated: a quantity. Negative: logs are never rotated. Default `10Mi`. */
  containerLogMaxSize?: string;
  /** Files to keep of each container's attempt, the one in use included; more than 1. Default 5. */
  containerLogMaxFiles?: number;
  /** Logs that may be rotated at once. Default 1. */
  containerLogMaxWorkers?: number;
  /** Time between two looks at the sizes; at least 3 s. Default 10 s. */
  containerLogMonitorIntervalMs?: number;
}

export interface ResolvedLogSettings {
  /** Bytes; negative for never. */
  maxSize: bigint;
  maxFiles: number;
  maxWorkers: number;
  monitorIntervalMs: number;
}

/** Settings with their defaults, checked. Throws InvalidOption with the kubelet's words, naming the field. */
export function resolveLogSettings(settings: LogRotatorSettings = {}): ResolvedLogSettings {
  const { containerLogMaxFiles: maxFiles = 5, containerLogMaxWorkers: maxWorkers = 1 } = settings;
  const { containerLogMonitorIntervalMs: monitorIntervalMs = 10_000 } = settings;
  const check = (field: keyof LogRotatorSettings, holds: boolean, demand: string, name: string = field) => {
    if (!holds) throw invalidOptionText(`settings.${field}`, `invalid configuration: ${name} must be ${demand}`);
  };
  check('containerLogMaxFiles', Number.isSafeInteger(maxFiles) && maxFiles > 1, 'greater than 1');
  check('containerLogMaxWorkers', Number.isSafeInteger(maxWorkers) && maxWorkers >= 1, 'greater than or equal to 1');
  const interval = 'a positive time duration greater than or equal to 3s';
  check('containerLogMonitorIntervalMs', monitorIntervalMs >= 3_000, interval, 'containerLogMonitorInterval');
  return { maxSize: parseMaxSize(settings.containerLogMaxSize ?? '10Mi'), maxFiles, maxWorkers, monitorIntervalMs };
}

function parseMaxSize(text: string): bigint {
  try {
    return Quantity.parse(text).value();
  } catch (cause) {
    const message = `failed to parse container log configuration "containerLogMaxSize": ${text}: ${errorMessage(cause)}`;
    throw invalidOptionText('settings.containerLogMaxSize', message, { cause });
  }
}
