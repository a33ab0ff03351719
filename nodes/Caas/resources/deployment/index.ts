import { destroy } from '../../../marketplace/operations/destroy';
import { destroyMany } from '../../../marketplace/operations/destroyMany';
import { get } from '../../../marketplace/operations/get';
import { getAll } from '../../../marketplace/operations/getAll';
import { getSpending } from '../../../marketplace/operations/getSpending';
import { CAAS } from '../../../marketplace/product';
import type { Resource } from '../../../shared/operation/operation';
import { deploy } from './deploy';
import { extend } from './extend';
import { update } from './update';
import { waitFor } from './waitFor';

export const deployment: Resource = {
	value: 'deployment',
	name: 'Deployment',
	operations: [
		getAll(CAAS),
		get(CAAS),
		getSpending(CAAS),
		deploy,
		update,
		waitFor,
		extend,
		destroy(CAAS),
		destroyMany(CAAS),
	],
};
