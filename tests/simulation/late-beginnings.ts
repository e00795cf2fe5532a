import type { Invariant } from './snapshot.js';

/** No sandbox is created and no volume mounted for a pod after the agent was to terminate it. */
export const lateBeginnings: Invariant = ({ history }) => history.lateBeginnings;
