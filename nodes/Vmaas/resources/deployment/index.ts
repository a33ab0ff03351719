import type { Resource } from '../../../shared/operation/operation';
import { deploy } from './deploy';
import { deployCheapest } from './deployCheapest';
import { destroy } from './destroy';
import { destroyMany } from './destroyMany';
import { extend } from './extend';
import { get } from './get';
import { getAll } from './getAll';
import { waitFor } from './waitFor';

export const deployment: Resource = {
	value: 'deployment',
	name: 'Deployment',
	operations: [getAll, get, deploy, deployCheapest, waitFor, extend, destroy, destroyMany],
};
