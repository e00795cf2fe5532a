/**
 * What a request does about fields that are unknown or occur twice: it fails, it gets warnings, or nothing. Kubernetes documentation, "API
 * Concepts: Field validation for resource creation and update".
 */
export interface FieldValidation {
  level: 'Strict' | 'Warn' | 'Ignore';
  /** The problems of unknown fields and of those that the request's text has twice, in its order; it must be valid. */
  problems(unknown: readonly string[]): readonly string[];
  /** The error of a YAML parser about the keys that the text has twice; empty if there are none. */
  repeatedKeys(): string;
  /** Called with the warnings. */
  warn(warnings: readonly string[]): void;
}
