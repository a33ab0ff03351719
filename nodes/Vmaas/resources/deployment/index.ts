import { destroy } from '../../../marketplace/operations/destroy';
import { destroyMany } from '../../../marketplace/operations/destroyMany';
import { get } from '../../../marketplace/operations/get';
import { getAll } from '../../../marketplace/operations/getAll';
import { getSpending } from '../../../marketplace/operations/getSpending';
import { VMAAS } from '../../../marketplace/product';
import type { Resource } from '../../../shared/operation/operation';
import { deploy } from './deploy';
import { deployCheapest } from './deployCheapest';
import { extend } from './extend';
import { waitFor } from './waitFor';

export const deployment: Resource = {
	value: 'deployment',
	name: 'Deployment',
	operations: [
		getAll(VMAAS),
		get(VMAAS),
		getSpending(VMAAS),
		deploy,
		deployCheapest,
		waitFor,
		extend,
		destroy(VMAAS),
		destroyMany(VMAAS),
	],
};
