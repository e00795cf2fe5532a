import { configurationOf, decodeText, type Recorded, withEvictionDefaults } from './decode-text.js';
import { setDefaults } from './defaults.js';
import type { KubeletConfiguration } from './fields.js';

/** A configuration with its defaults. */
export interface ParsedConfiguration {
  /** With defaults; not validated. */
  configuration: KubeletConfiguration;
  /** The top-level fields that were set. */
  given: (keyof KubeletConfiguration)[];
  /** Ignored content: unknown and repeated fields, each with its file, and unknown feature gates. */
  warnings: string[];
}

/**
 * Parses the text of a configuration file, YAML or JSON, as `--config` does; paths in it stay relative. `path` names the text in warnings
 * and errors. Rejects with `InvalidKubeletConfiguration`.
 */
export async function parseKubeletConfiguration(text: string, path = 'kubelet.yaml'): Promise<ParsedConfiguration> {
  const recorded: Recorded = { given: new Set(), warnings: [] };
  const decoded = await decodeText(text, path, recorded);
  return configurationOf(withEvictionDefaults(setDefaults(decoded), decoded.mergeDefaultEvictionSettings), recorded);
}
