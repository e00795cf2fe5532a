// setup.mjs: installs the dependencies with the pinned pnpm; does nothing when they are there. It exists for a fresh clone without pnpm.
import { setup } from './lib/setup.mjs';

setup();
