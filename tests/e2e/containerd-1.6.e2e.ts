import { containerdSuite } from './containerd-suite.js';

containerdSuite('1.6');
