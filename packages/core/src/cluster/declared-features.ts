/** The features that a Node declares, sorted: those whose gate is not off. None with the gate `NodeDeclaredFeatures` off. */
export function declaredFeatures(features: readonly string[], featureGates: Readonly<Record<string, boolean>> = {}): string[] {
  if (featureGates.NodeDeclaredFeatures === false) return [];
  return features.filter((gate) => featureGates[gate] !== false).sort();
}
