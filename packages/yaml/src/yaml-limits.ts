/**
 * What a YAML text may hold, so that no text keeps the event loop busy for long. Reading takes time in proportion to the text, about a
 * second for the largest one.
 */
export const yamlLimits = Object.freeze({
  /** Bytes of the text in UTF-8. No object of an API server is larger than 1.5 MiB. */
  bytes: 1_048_576,
  documents: 1_000,
  /** Lists and maps inside each other. */
  depth: 200,
  /** Places that refer to an anchor. */
  aliases: 1_000,
  /** Values that these stand for, with all that is in them. */
  aliasedValues: 100_000,
});

/** A text exceeds a limit. The message quotes nothing of the text, which may hold secrets. */
export class YamlLimitError extends Error {
  constructor(limit: keyof typeof yamlLimits) {
    super(messages[limit]);
    this.name = 'YamlLimitError';
  }
}

const messages: Readonly<Record<keyof typeof yamlLimits, string>> = {
  bytes: `larger than the limit of ${yamlLimits.bytes} bytes for YAML`,
  documents: `more than the limit of ${yamlLimits.documents} documents`,
  depth: `nested deeper than the limit of ${yamlLimits.depth} levels`,
  aliases: `more than the limit of ${yamlLimits.aliases} aliases`,
  aliasedValues: `aliases stand for more than the limit of ${yamlLimits.aliasedValues} values`,
};
