import type { Clock } from '@nodeagent/api';
import { wantsColours } from '../console.js';
import { createLineLogger } from '../log.js';
import { logAgent } from './agent-lines.js';
import type { AgentView, AgentViewOptions } from './agent-view.js';
import { logLongPulls } from './long-pulls.js';

/** Plain lines, for pipes and files. */
export function createLogView({ level, format, console, clock }: Omit<AgentViewOptions, 'table'> & { clock: Clock }): AgentView {
  const logger = createLineLogger({
    level,
    format,
    colours: wantsColours(console.stdout, console.env),
    clock,
    write: (line) => console.stdout.write(`${line}\n`),
  });
  let endPullLines = () => {};
  return {
    logger,
    follow(agent, title) {
      logger.info(title);
      logAgent(agent, logger);
      endPullLines = logLongPulls(agent, logger, clock);
    },
    print: (line) => logger.info(line),
    stopping: (line) => logger.info(line),
    stopped: (line) => logger.info(line),
    close: () => endPullLines(),
  };
}
