/**
 * What a request does about fields that are unknown or occur twice: it fails, it gets warnings, or nothing. Kubernetes documentation, "API
 * Concepts: Field validation for resource creation and update".
 */
export interface FieldValidation {
  level: 'Strict' | 'Warn' | 'Ignore';
  /** The problems of fields that the request's text has twice; it must be valid. */
  duplicates(): readonly string[];
  /** Called with the warnings. */
  warn(warnings: readonly string[]): void;
}
