/**
 * The decision of a plugin manager: which plugins to register and to unregister.
 *
 * @packageDocumentation
 */
export { type PluginPlan, planPlugins } from './plan.js';
