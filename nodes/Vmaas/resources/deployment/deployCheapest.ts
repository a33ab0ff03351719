import type { INodeProperties } from 'n8n-workflow';
import { requireLimitByPerson } from '../../../marketplace/agentLimit';
import { boughtBefore } from '../../../marketplace/boughtBefore';
import { nameField } from '../../../marketplace/order';
import { onProduct, VMAAS } from '../../../marketplace/product';
import { collectionField } from '../../../shared/fields';
import { buyCheapest, type CheapestOrder } from './buyCheapest';
import { cheapestFields, keepTryingField, readCheapest } from './cheapestFields';
import { commonFields, readOrder } from './order';

export const deployCheapest = onProduct<CheapestOrder>(VMAAS, {
	value: 'deployCheapest',
	name: 'Deploy Cheapest',
	action: 'Deploy cheapest VMs',
	description:
		'Rent the cheapest available GPUs that pass the filters; if they are sold out, the next offer. This spends money; the first hour is never refunded.',
	effect: 'write',
	identifyingKeys: ['deployment_id', 'resource_private_name'],
	fields: [nameField, ...cheapestFields, ...commonFields.map(withKeepTrying)],
	input: (parameters) => ({
		...readOrder(parameters),
		...readCheapest(parameters, parameters.group('additionalFields')),
	}),
	again: boughtBefore,
	async run(context, input) {
		if (!input.nameRules.dryRun) requireLimitByPerson(context, input.priceLimits);
		return [await buyCheapest(context, input)];
	},
});

function withKeepTrying(field: INodeProperties): INodeProperties {
	if (field.name !== 'additionalFields') return field;
	const options = [...(field.options as INodeProperties[]), keepTryingField];
	return collectionField(field.name, field.displayName, String(field.placeholder), options);
}
