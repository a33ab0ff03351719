import type { Resource } from '../../../shared/operation/operation';
import { collect } from './collect';
import { run } from './run';
import { start } from './start';

export const job: Resource = { value: 'job', name: 'Job', operations: [collect, run, start] };
