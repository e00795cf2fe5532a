/**
 * Reads YAML as Kubernetes does, in linear time and within limits.
 *
 * @packageDocumentation
 */
export { readYaml, type YamlDocument, type YamlProblem } from './read-yaml.js';
export { yamlLimits } from './yaml-limits.js';
