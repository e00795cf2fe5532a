/**
 * A YAML reader that parses like Kubernetes, in linear time and with size limits.
 *
 * @packageDocumentation
 */
export { readScalars, readYaml, type YamlDocument, type YamlProblem } from './read-yaml.js';
export { yamlLimits } from './yaml-limits.js';
