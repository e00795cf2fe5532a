import type { PlaygroundState } from '../state.js';

/** A state without actions. */
export const defaultState: PlaygroundState = { manifests: '', seed: 1, nodes: 2, periods: 'kubelet', actions: [] };
