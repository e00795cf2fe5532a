/** Limits of a YAML text, so that no text blocks the event loop for long. Parsing the largest text takes about a second. */
export const yamlLimits = Object.freeze({
  /** Bytes of the text in UTF-8. No object of an API server is larger than 1.5 MiB. */
  bytes: 1_048_576,
  documents: 1_000,
  /** Nesting depth of lists and maps. */
  depth: 200,
  /** Number of aliases. */
  aliases: 1_000,
  /** Number of values that aliases expand to, including nested ones. */
  aliasedValues: 100_000,
});

/** A text exceeds a limit. The message does not quote the text, which may contain secrets. */
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
  aliasedValues: `aliases expand to more than the limit of ${yamlLimits.aliasedValues} values`,
};
