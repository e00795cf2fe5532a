import { invalidOption } from '@nodeagent/api';
import {
  completeSettings,
  type GivenSettings,
  notNegative,
  positive,
  type SettingsOf,
  type SettingTable,
  wholeNumberFrom,
} from '@nodeagent/api/helpers';

/** The settings of image garbage collection, with the names and defaults of KubeletConfiguration; `...Ms` are milliseconds. */
export const imageGcSettings = {
  /** Minimum age of an image that is removed to free space. Default 120000. */
  imageMinimumGCAgeMs: { default: 120_000, unit: 'ms', check: notNegative, field: 'imageMinimumGCAge' },
  /** Images unused for longer are removed at any disk usage; 0: off. Default 0. */
  imageMaximumGCAgeMs: { default: 0, unit: 'ms', check: notNegative, field: 'imageMaximumGCAge' },
  /** Usage of the file system in percent from which images are removed. With 100 and no maximum age collection is off. Default 85. */
  imageGCHighThresholdPercent: { default: 85, unit: '%', check: wholeNumberFrom(0, 100), field: 'imageGCHighThresholdPercent' },
  /** Usage in percent at which the removal stops; at most the high threshold. Default 80. */
  imageGCLowThresholdPercent: { default: 80, unit: '%', check: wholeNumberFrom(0, 100), field: 'imageGCLowThresholdPercent' },
  /** Time between two collections. Default 300000. */
  periodMs: { default: 300_000, unit: 'ms', check: positive },
  /** Timeout of a call of a port (`runtimeRequestTimeout`). Default 120000. */
  runtimeRequestTimeoutMs: { default: 120_000, unit: 'ms', check: positive, field: 'runtimeRequestTimeout' },
} satisfies SettingTable;

/** Settings of {@link imageGcSettings}. */
export type ImageGcSettings = GivenSettings<typeof imageGcSettings>;

/**
 * Throws `InvalidOption` for combinations that the validation of KubeletConfiguration v1beta1 rejects: a low threshold that is not below the
 * high one, and a maximum age that is not above the minimum age. The manager itself, as the kubelet's, accepts equal thresholds and any ages.
 */
export function checkImageGcSettings(settings: ImageGcSettings): void {
  const { imageMinimumGCAgeMs: minAge, imageMaximumGCAgeMs: maxAge, ...thresholds } = resolveSettings(settings);
  const { imageGCHighThresholdPercent: high, imageGCLowThresholdPercent: low } = thresholds;
  if (low >= high) throw invalidOption('settings.imageGCLowThresholdPercent', `less than imageGCHighThresholdPercent (${high})`, low);
  if (maxAge > 0 && maxAge <= minAge) {
    throw invalidOption('settings.imageMaximumGCAgeMs', `more than imageMinimumGCAgeMs (${minAge}), or 0`, maxAge);
  }
}

/** Validates the settings and applies the defaults. Throws `InvalidOption` naming the field. */
export function resolveSettings(settings: ImageGcSettings = {}): SettingsOf<typeof imageGcSettings> {
  const resolved = completeSettings(imageGcSettings, settings);
  const { imageGCHighThresholdPercent: high, imageGCLowThresholdPercent: low } = resolved;
  if (low > high) throw invalidOption('settings.imageGCLowThresholdPercent', `at most imageGCHighThresholdPercent (${high})`, low);
  return resolved;
}
