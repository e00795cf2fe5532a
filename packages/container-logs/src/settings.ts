import { errorMessage, invalidOptionText } from '@nodeagent/api';
import {
  completeSettings,
  type GivenSettings,
  numberFrom,
  Quantity,
  type SettingCheck,
  type SettingTable,
  wholeNumberFrom,
} from '@nodeagent/api/helpers';

/** A check with the kubelet's text. */
const demand = (name: string, rule: string, accepts: SettingCheck['accepts']): SettingCheck => ({
  rule,
  accepts,
  message: `invalid configuration: ${name} must be ${rule}`,
});

/** The settings of log rotation, with the names and defaults of KubeletConfiguration. */
export const logRotatorSettings = {
  /** Size from which a log is rotated, as a quantity. Negative: never. Default `10Mi`. */
  containerLogMaxSize: { default: '10Mi', unit: 'quantity', field: 'containerLogMaxSize' },
  /** Maximum number of files for each attempt of a container, including the current log; more than 1. Default 5. */
  containerLogMaxFiles: {
    default: 5,
    check: demand('containerLogMaxFiles', 'greater than 1', wholeNumberFrom(2).accepts),
    field: 'containerLogMaxFiles',
  },
  /** Maximum number of logs rotated concurrently. Default 1. */
  containerLogMaxWorkers: {
    default: 1,
    check: demand('containerLogMaxWorkers', 'greater than or equal to 1', wholeNumberFrom(1).accepts),
    field: 'containerLogMaxWorkers',
  },
  /** Period of the checks in milliseconds; at least 3 s. Default 10000. */
  containerLogMonitorIntervalMs: {
    default: 10_000,
    unit: 'ms',
    check: demand('containerLogMonitorInterval', 'a positive time duration greater than or equal to 3s', numberFrom(3_000).accepts),
    field: 'containerLogMonitorInterval',
  },
} satisfies SettingTable;

/** Settings of {@link logRotatorSettings}. */
export type LogRotatorSettings = GivenSettings<typeof logRotatorSettings>;

export interface ResolvedLogSettings {
  /** Bytes; negative for never. */
  maxSize: bigint;
  maxFiles: number;
  maxWorkers: number;
  monitorIntervalMs: number;
}

/** Validates the settings and applies the defaults. Throws InvalidOption with the kubelet's message, naming the field. */
export function resolveLogSettings(settings: LogRotatorSettings = {}): ResolvedLogSettings {
  const complete = completeSettings(logRotatorSettings, settings);
  return {
    maxSize: parseMaxSize(complete.containerLogMaxSize),
    maxFiles: complete.containerLogMaxFiles,
    maxWorkers: complete.containerLogMaxWorkers,
    monitorIntervalMs: complete.containerLogMonitorIntervalMs,
  };
}

function parseMaxSize(text: string): bigint {
  try {
    return Quantity.parse(text).value();
  } catch (cause) {
    const message = `failed to parse container log configuration "containerLogMaxSize": ${text}: ${errorMessage(cause)}`;
    throw invalidOptionText('settings.containerLogMaxSize', message, { cause });
  }
}
