import { describeOnSeries } from '../support/runtimes/describe-on-runtimes.js';
import { examplePodsSuite } from './example-pods-suite.js';

describeOnSeries('pods', ['2'], examplePodsSuite);
