/**
 * The timeline of a node for people: which entries belong together, how serious they are, and their texts without UIDs.
 *
 * @packageDocumentation
 */
export { briefError, withoutUids } from './timeline/brief-text.js';
export { type Episode, nextEpisodes, type OpenEpisodes } from './timeline/episodes.js';
export { type TimelineSeverity, timelineSeverity, timelineWeight } from './timeline/severity.js';
