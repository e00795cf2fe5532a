/**
 * What `kubectl get -o wide` shows, as pure functions of an object and a time. It runs in Node and in a browser.
 *
 * @packageDocumentation
 */
export { type ContainerRestart, type NextRestartsOptions, nextRestarts } from './containers/next-restarts.js';
export type { PodEvent } from './containers/pod-events.js';
export { terminationText } from './containers/termination-text.js';
export { explainPod } from './explain/explain-pod.js';
export type { Fact, NextStep, PodState, PodStateExplanation } from './explain/pod-explanation.js';
export type { ExplainPodOptions } from './explain/pod-facts.js';
export { formatAge } from './format-age.js';
export type { JsonObject } from './json-object.js';
export { type PodColumns, podColumns, podStatusText } from './pod-columns.js';
export type { TableCell, TableColumn, TablePrinter, TableRowCondition } from './printers/printer.js';
export { printerOf } from './printers/printers.js';
