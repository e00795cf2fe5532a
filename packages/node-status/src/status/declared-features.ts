/**
 * The features that a Node declares in `status.declaredFeatures`, sorted: those of the node whose feature gate is not off. None with the gate
 * `NodeDeclaredFeatures` off. KEP-5328, "Node Declared Features".
 *
 * @param features - what the node does, named as its feature gates
 */
export function declaredFeatures(features: readonly string[], featureGates: Readonly<Record<string, boolean>> = {}): string[] {
  if (featureGates.NodeDeclaredFeatures === false) return [];
  return features.filter((gate) => featureGates[gate] !== false).sort();
}
