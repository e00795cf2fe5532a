/**
 * The sorted `status.declaredFeatures` of a Node: the given features except those whose feature gate is off. Empty if the gate
 * `NodeDeclaredFeatures` is off. KEP-5328, "Node Declared Features".
 * @param features - supported features, named as their feature gates
 */
export function declaredFeatures(features: readonly string[], featureGates: Readonly<Record<string, boolean>> = {}): string[] {
  if (featureGates.NodeDeclaredFeatures === false) return [];
  return features.filter((gate) => featureGates[gate] !== false).sort();
}
